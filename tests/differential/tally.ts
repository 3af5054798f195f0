/** The effect of one kind of write on the cache, or of all kinds together. */
export interface Counts {
  writes: number;
  /** Entries whose bytes changed. */
  changed: number;
  /** Entries that were invalidated. */
  invalidated: number;
  /** Entries that whole-family purging would have removed. */
  family: number;
}

/** Sums up a run by kind of write. */
export class Tally {
  readonly #byKind = new Map<string, Counts>();
  readonly #except: ReadonlySet<string>;

  constructor(except: readonly string[] = []) {
    this.#except = new Set(except);
  }

  add(kind: string, { changed, invalidated, family }: Omit<Counts, 'writes'>): void {
    const counts = this.#byKind.get(kind) ?? { writes: 0, changed: 0, invalidated: 0, family: 0 };
    counts.writes += 1;
    counts.changed += changed;
    counts.invalidated += invalidated;
    counts.family += family;
    this.#byKind.set(kind, counts);
  }

  of(kind: string): Counts | undefined {
    return this.#byKind.get(kind);
  }

  get kinds(): readonly string[] {
    return [...this.#byKind.keys()];
  }

  /** The sum of all kinds, except those whose excess is specified. */
  get total(): Counts {
    const total: Counts = { writes: 0, changed: 0, invalidated: 0, family: 0 };
    for (const [kind, counts] of this.#byKind) {
      if (this.#except.has(kind)) continue;
      for (const name of Object.keys(total) as Array<keyof Counts>) total[name] += counts[name];
    }
    return total;
  }

  /** The counts as a table, with the least precise kinds first. */
  table(): string {
    const rows = [...this.#byKind].sort(([, one], [, other]) => excess(other) - excess(one));
    const line = (name: string, counts: Counts): string =>
      [
        name.padEnd(58),
        String(counts.writes).padStart(6),
        String(counts.changed).padStart(8),
        String(counts.invalidated).padStart(7),
        ratio(counts.invalidated, counts.changed).padStart(7),
        ratio(counts.family, counts.changed).padStart(8),
      ].join(' ');
    const header = `${'kind of write'.padEnd(58)} writes  changed  purged   ratio   family`;
    return [
      header,
      ...rows.map(([name, counts]) => line(name, counts)),
      line(['all', ...this.#except].join(' but '), this.total),
    ].join('\n');
  }
}

const excess = ({ invalidated, changed }: Counts): number => invalidated - changed;

export const ratio = (invalidated: number, changed: number): string => {
  if (changed === 0) return invalidated === 0 ? '–' : `${invalidated}/0`;
  return (invalidated / changed).toFixed(2);
};
