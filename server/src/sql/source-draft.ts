import type { EqualityKey, Source } from './statement';

/** A `Source` while its SELECT is being read. */
export class SourceDraft {
  readonly keys: EqualityKey[] = [];
  readonly isNull = new Set<string>();
  readonly isNotNull = new Set<string>();
  readonly filters = new Set<string>();
  readonly sort = new Set<string>();
  readonly output = new Set<string>();
  star = false;
  comparesId = false;
  showsId = false;
  idProperty: string | undefined;

  constructor(
    readonly table: string,
    readonly alias: string,
    /** It is the right side of a LEFT JOIN, and no condition has demanded a row of it yet. */
    public optional: boolean,
  ) {}

  /** The column has a say in which rows there are. */
  decideBy(column: string): void {
    this.filters.add(column);
    if (column === 'id') this.comparesId = true;
  }

  finish(): Source {
    const { table, alias, keys, optional, comparesId, showsId, idProperty } = this;
    const told = new Set([...this.isNull, ...this.isNotNull]);
    for (const { column } of keys) told.add(column);
    return {
      table,
      alias,
      optional,
      keys,
      isNull: [...this.isNull],
      isNotNull: [...this.isNotNull],
      filters: [...this.filters].filter((column) => !told.has(column) || this.sort.has(column)),
      sort: [...this.sort],
      output: this.star ? 'all' : [...this.output],
      comparesId,
      showsId,
      idProperty,
    };
  }
}

/** A column, and the source it is certain to belong to. */
export interface SourceColumn {
  readonly source: SourceDraft;
  readonly column: string;
}
