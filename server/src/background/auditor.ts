import { LRUCache } from 'lru-cache';
import { setTimeout as pause } from 'node:timers/promises';
import type { Entry, StoredResponse } from '../cache/entry';
import type { Provider } from '../cache/provider';
import type { ResolvedAudit } from '../config/resolved-config';
import type { KnownRequests } from './known-requests';
import type { Send } from './own-requests';
import { rest } from './pace';

export interface AuditorSettings {
  readonly audit: ResolvedAudit;
  readonly known: KnownRequests;
  readonly provider: Pick<Provider, 'lookup' | 'knownSequence'>;
  readonly send: Send;
  /** Runs work outside of any request. */
  readonly outside: <T>(work: () => T) => T;
  readonly onAudited: () => void;
  /** Called with an entry that two equal computations differ from. */
  readonly onStale: (entry: Entry) => void;
  /** A number from 0 to 1, below which a hit is audited that comes within the rate. */
  readonly random?: () => number;
}

/** How long is waited before an answer that differs is computed once more, in milliseconds. */
const SECOND_LOOK = 1000;

const MINUTE = 60_000;

/** Routes that answer differently each time, of which the latest are remembered. */
const MAX_ROUTES = 100;

/** Computes a sample of hits again and compares. Nothing is concluded from an audit during which anything was stamped. */
export class Auditor {
  readonly #settings: AuditorSettings;
  readonly #unsteady = new LRUCache<string, string>({ max: MAX_ROUTES });
  #inMinute = 0;
  #minute = 0;
  #isBusy = false;

  constructor(settings: AuditorSettings) {
    this.#settings = settings;
  }

  /** Routes that answer differently each time, each with the first place in its JSON that differs. */
  get unsteady(): ReadonlyArray<{ readonly route: string; readonly at: string }> {
    return [...this.#unsteady].map(([route, at]) => ({ route, at }));
  }

  /** Called with each hit. */
  hit(entry: Entry): void {
    const { audit, known, random = Math.random, outside } = this.#settings;
    // One caller's response cannot be computed again, and takes no other's place within the minute.
    if (this.#isBusy || random() >= audit.rate || known.of(entry.key) === undefined || !this.#isWithinMinute()) return;
    this.#isBusy = true;
    void outside(() => this.#audit(entry))
      .catch(() => undefined)
      .finally(() => (this.#isBusy = false));
  }

  #isWithinMinute(): boolean {
    const minute = Math.floor(performance.now() / MINUTE);
    if (minute !== this.#minute) this.#inMinute = 0;
    this.#minute = minute;
    this.#inMinute += 1;
    return this.#inMinute <= this.#settings.audit.perMinute;
  }

  async #audit(entry: Entry): Promise<void> {
    await rest(0);
    const first = await this.#computed(entry);
    if (first === undefined) return;
    this.#settings.onAudited();
    if (isSame(first, entry.response)) return;
    await pause(SECOND_LOOK, undefined, { ref: false });
    const second = await this.#computed(entry);
    if (second === undefined) return;
    if (isSame(first, second)) this.#settings.onStale(entry);
    else this.#unsteady.set(entry.labels.route, firstDifference(first.body, second.body));
  }

  /** The response as it is computed now; `undefined` if the entry is not valid before and after, or a stamp came between. */
  async #computed(entry: Entry): Promise<StoredResponse | undefined> {
    const { known, provider, send } = this.#settings;
    const asked = known.of(entry.key);
    if (asked === undefined || !(await this.#isHeld(entry))) return undefined;
    const sequence = provider.knownSequence();
    const outcome = await send(asked.target, asked.headers, 'audit', entry.key);
    if (outcome.kind !== 'computed' || !(await this.#isHeld(entry))) return undefined;
    return provider.knownSequence() === sequence ? outcome.response : undefined;
  }

  async #isHeld({ key, createdAt, sequence }: Entry): Promise<boolean> {
    const { entry } = await this.#settings.provider.lookup(key);
    return entry?.createdAt === createdAt && entry.sequence === sequence;
  }
}

const isSame = (one: StoredResponse, other: StoredResponse): boolean =>
  one.status === other.status && one.body.equals(other.body);

/** The path of the first value that differs between two JSON texts, such as `data[3].title`; `''` for the whole. */
export const firstDifference = (one: Buffer, other: Buffer): string => {
  try {
    return differenceAt(JSON.parse(one.toString()), JSON.parse(other.toString()), '') ?? '';
  } catch {
    return '';
  }
};

const differenceAt = (one: unknown, other: unknown, at: string): string | undefined => {
  if (Object.is(one, other)) return undefined;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return at;
  for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
    const place = Array.isArray(one) ? `${at}[${name}]` : `${at}${at === '' ? '' : '.'}${name}`;
    const valueIn = (holder: object): unknown => (holder as Record<string, unknown>)[name];
    const found = differenceAt(valueIn(one), valueIn(other), place);
    if (found !== undefined) return found;
  }
  return undefined;
};
