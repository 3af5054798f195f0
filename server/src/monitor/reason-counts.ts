import type { Reason } from '../cache/response-cache';

/**
 * What the reason explains: why a response was not stored (`miss`), why a request bypassed the cache (`hitpass`), or why
 * a request missed whose response was then stored (`fill`).
 */
type ReasonKind = 'miss' | 'hitpass' | 'fill';

/** Stands before what a reason is about. No detail holds it. */
const ABOUT = '\0';

/** The name under which a reason is counted, which holds all of it. Kinds and codes contain no space. */
export const reasonName = (kind: ReasonKind, { code, detail, about = detail }: Reason): string => {
  const others = about === detail ? '' : `${ABOUT}${JSON.stringify(about)}`;
  return `${kind} ${code} ${detail}${others.length > MAX_ABOUT ? '' : others}`;
};

/** The reason of a name that {@link reasonName} has made; `undefined` for any other text. */
export const reasonOf = (name: string): (Reason & { readonly kind: ReasonKind }) | undefined => {
  const [, kind, code, rest] = /^(miss|hitpass|fill) (\S+) (.*)$/s.exec(name) ?? [];
  if (code === undefined || rest === undefined) return undefined;
  const [detail = '', others] = rest.split(ABOUT);
  return { kind: kind as ReasonKind, code, detail, ...(others !== undefined && { about: aboutIn(others) }) };
};

/** What other processes have written. A name of another release may hold anything. */
const aboutIn = (written: string): Reason['about'] => {
  try {
    return JSON.parse(written) as Reason['about'];
  } catch {
    return undefined;
  }
};

/** Maximum number of reasons of each kind on one route; a handler may make up any number of header names. */
const MAX_REASONS = 30;

/** Characters after which a detail is cut off, and beyond which what it is about or an example request is not kept. */
const MAX_DETAIL = 300;
const MAX_ABOUT = 1000;
const MAX_TARGET = 2000;

interface Counted {
  readonly count: number;
  /** Path and query of the latest such request. */
  readonly target: string | undefined;
}

/** How often each reason occurred on one route. */
export class ReasonCounts {
  readonly #byName = new Map<string, Counted>();
  readonly #distinct: Record<ReasonKind, number> = { miss: 0, hitpass: 0, fill: 0 };

  note(kind: ReasonKind, reason: Reason, target = ''): void {
    const spelled = reasonName(kind, { ...reason, detail: reason.detail.slice(0, MAX_DETAIL) });
    const isKnown = this.#byName.has(spelled);
    const isNamed = isKnown || this.#distinct[kind] < MAX_REASONS;
    if (isNamed && !isKnown) this.#distinct[kind] += 1;
    const name = isNamed ? spelled : reasonName(kind, { code: 'other', detail: '' });
    const known = this.#byName.get(name);
    const isKept = target !== '' && target.length <= MAX_TARGET;
    this.#byName.set(name, { count: (known?.count ?? 0) + 1, target: isKept ? target : known?.target });
  }

  exampleOf(name: string): string | undefined {
    return this.#byName.get(name)?.target;
  }

  get counted(): ReadonlyArray<readonly [name: string, count: number]> {
    return [...this.#byName].map(([name, { count }]) => [name, count] as const);
  }
}
