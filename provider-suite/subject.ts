import type { Clock } from '../server/src/cache/clock';
import { milliseconds } from '../server/src/cache/milliseconds';
import type { Provider, ProviderEvents, ProviderSettings } from '../server/src/cache/provider';

/** The settings a provider is created with in a test. The same `keysPrefix` means the same store. */
export interface CreationSettings extends ProviderSettings {
  /** The clock that decides whether `maxAge` has passed. The tests move it. */
  readonly clock: Clock;
}

/** A provider to be tested, and the test runner to use. */
export interface ProviderSubject {
  readonly name: string;
  /** Creates a provider that is ready to be used. The suite closes it. */
  create(settings: CreationSettings): Provider | Promise<Provider>;
  /** Whether several instances, in one process or in many, share one store. Default `false`. */
  readonly shared?: boolean;
  /** `describe` and `it` of the test runner: those of Vitest, Jest, Mocha and `node:test` all fit. */
  readonly describe: (name: string, body: () => void) => void;
  readonly it: (name: string, body: () => Promise<void>) => void;
}

/** Starts at the current time and moves only when `advance` is called. */
export class TestClock implements Clock {
  #now = milliseconds(Date.now());

  now(): ReturnType<Clock['now']> {
    return this.#now;
  }

  /** @param duration in milliseconds. */
  advance(duration: number): void {
    this.#now = milliseconds(this.#now + duration);
  }
}

let created = 0;

/** Everything one test needs; `open` creates further instances on the same store. */
export interface TestBench {
  readonly provider: Provider;
  readonly clock: TestClock;
  open(overrides?: Partial<Pick<ProviderSettings, 'keysPrefix' | 'fingerprint'>>): Promise<Provider>;
}

/** Runs one test on a store of its own, and closes every instance it opened. */
export const withProvider = async (
  subject: ProviderSubject,
  test: (bench: TestBench) => Promise<void>,
  events: ProviderEvents = {},
): Promise<void> => {
  created += 1;
  const settings = {
    keysPrefix: `suite-${process.pid}-${created}-${Math.random().toString(36).slice(2)}`,
    fingerprint: 'release-1',
    database: 'd1',
    getTimeout: milliseconds(2000),
    events,
  };
  const clock = new TestClock();
  const opened: Provider[] = [];
  const open: TestBench['open'] = async (overrides = {}) => {
    const provider = await subject.create({ ...settings, ...overrides, clock });
    opened.push(provider);
    return provider;
  };
  try {
    await test({ provider: await open(), clock, open });
  } finally {
    for (const provider of opened) await provider.close();
  }
};
