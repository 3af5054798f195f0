import type { Entry, StoredResponse } from '../cache/entry';
import type { Provider } from '../cache/provider';
import type { ResolvedAudit } from '../config/resolved-config';
import type { KnownRequests } from './known-requests';
import type { Asked, OwnRequests } from './own-requests';
import { rest } from './pace';

export interface AuditorSettings {
  readonly audit: ResolvedAudit;
  readonly known: KnownRequests;
  readonly provider: Pick<Provider, 'lookup' | 'knownSequence'>;
  readonly own: Pick<OwnRequests, 'send' | 'outside'>;
  /** @param isStale whether two equal computations differ from the entry. */
  readonly onAudited: (entry: Entry, isStale: boolean) => void;
}

/** How long is waited before an answer that differs is computed once more, in milliseconds. */
const SECOND_LOOK = 1000;

const MINUTE = 60_000;

/** Computes a sample of hits again and compares. Nothing is concluded from an audit during which anything was stamped. */
export class Auditor {
  readonly #settings: AuditorSettings;
  readonly #unsteady = new Map<string, string>();
  /** When the next audit may begin, by `performance.now()`: audits are spread over the minute. */
  #next = 0;
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
    const { audit, known, own } = this.#settings;
    if (this.#isBusy || Math.random() >= audit.rate || performance.now() < this.#next) return;
    // One caller's response cannot be computed again, and takes no other's place within the minute.
    const asked = known.of(entry.key);
    if (asked === undefined) return;
    this.#isBusy = true;
    this.#next = performance.now() + MINUTE / audit.perMinute;
    void own
      .outside(() => this.#audit(asked, entry))
      .catch(() => undefined)
      .finally(() => (this.#isBusy = false));
  }

  async #audit(asked: Asked, entry: Entry): Promise<void> {
    await rest(0);
    const first = await this.#computed(asked, entry);
    if (first === undefined) return;
    let isStale = false;
    if (!isSame(first, entry.response)) {
      await rest(SECOND_LOOK);
      const second = await this.#computed(asked, entry);
      if (second === undefined) return;
      isStale = isSame(first, second);
      if (!isStale) this.#unsteady.set(entry.labels.route, firstDifference(first.body, second.body));
    }
    this.#settings.onAudited(entry, isStale);
  }

  /** The response as it is computed now; `undefined` if the entry is not valid any more, or a stamp came between. */
  async #computed(asked: Asked, { key, createdAt, sequence }: Entry): Promise<StoredResponse | undefined> {
    const { provider, own } = this.#settings;
    const before = provider.knownSequence();
    const { made } = await own.send(asked, 'audit');
    const { entry: held } = await provider.lookup(key);
    const isHeld = held?.createdAt === createdAt && held.sequence === sequence;
    return made?.key === key && isHeld && provider.knownSequence() === before ? made.response : undefined;
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
    const found = differenceAt(Reflect.get(one, name), Reflect.get(other, name), place);
    if (found !== undefined) return found;
  }
  return undefined;
};
