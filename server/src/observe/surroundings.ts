import type { Change } from './change-log';
import { valueKey, type Row } from './column-value';
import { halfOf, morphOf, PUBLISHED_AT, type ComponentOwner, type Half, type Surroundings } from './row-scope';
import type { ComponentLink, TableCatalog } from './table-catalog';

/** More components than this changed by one transaction, and nobody looks up what they belong to. */
const MAX_COMPONENTS_LOOKED_UP = 500;

/** One connection, as far as looking things up takes it. */
export interface LookUpAccess {
  select(sql: string, bindings: readonly unknown[]): Promise<readonly Row[]>;
  quoteTable(name: string): string;
  quoteColumn(name: string): string;
  /**
   * Whether a SELECT sees what others have committed by now; where a transaction keeps the sight of its beginning, what
   * belongs to what cannot be asked for certain.
   */
  readonly seesCommitted: boolean;
  /** Keeps others from changing selected rows; empty where the database locks as a whole. */
  readonly shareLock: string;
}

/** What surrounds the rows that one transaction changes, looked up when it commits. */
export class TransactionSurroundings implements Surroundings {
  readonly #catalog: TableCatalog;
  readonly #halves = new Map<string, Half | undefined>();
  readonly #owners = new Map<string, ComponentOwner[]>();

  constructor(catalog: TableCatalog) {
    this.#catalog = catalog;
  }

  halfOf(table: string, id: unknown): Half | undefined {
    return this.#halves.get(nameOf(table, id));
  }

  ownersOf(table: string, id: unknown): readonly ComponentOwner[] | undefined {
    return this.#owners.get(nameOf(table, id));
  }

  /** Asks the database what the images of these changes do not tell. */
  async lookUp(changes: readonly Change[], access: LookUpAccess): Promise<void> {
    await this.#holdAdopted(changes, access);
    await this.#lookUpOwners(changes, access);
    await this.#lookUpHalves(changes, access);
  }

  /**
   * Components are born with their link and never change hands. Where raw SQL links one that was there before, it must
   * not be changed by a transaction that has looked for its owners already and has not found this one.
   */
  async #holdAdopted(changes: readonly Change[], access: LookUpAccess): Promise<void> {
    if (access.shareLock === '') return;
    const born = new Set<string>();
    const linked = new Set<string>();
    for (const change of changes) {
      if (change.kind !== 'row') continue;
      const { table, before, after } = change;
      if (before === undefined) born.add(nameOf(table, after?.id));
      const link = this.#catalog.componentLink(table);
      if (link !== undefined && before !== undefined) linked.add(linkName(link, before));
    }
    const adopted = new Map<string, Set<string>>();
    for (const change of changes) {
      if (change.kind !== 'row' || change.after === undefined) continue;
      const link = this.#catalog.componentLink(change.table);
      const field = change.after[link?.field ?? ''];
      const component = link?.components.get(String(field));
      if (link === undefined || component === undefined || linked.has(linkName(link, change.after))) continue;
      const id = valueKey(change.after[link.component]);
      if (id === undefined || born.has(`${component}#${id}`)) continue;
      adopted.set(component, (adopted.get(component) ?? new Set()).add(id));
    }
    for (const [table, ids] of adopted) {
      await access.select(
        `select id from ${this.#quote(table, access)} where id in (${placeholders(ids)})${access.shareLock}`,
        [...ids].map(Number),
      );
    }
  }

  /** Those of now: who held a component before has lost a link, of which every read that asked for it hears anyway. */
  async #lookUpOwners(changes: readonly Change[], access: LookUpAccess): Promise<void> {
    if (!access.seesCommitted) return;
    for (const [table, ids] of this.#changedComponents(changes)) {
      if (ids.size > MAX_COMPONENTS_LOOKED_UP) continue;
      for (const id of ids) this.#owners.set(`${table}#${id}`, []);
      for (const link of this.#catalog.linksTo(table)) {
        const { field, component, owner } = link;
        const columns = [field, component, owner].map((column) => access.quoteColumn(column)).join(', ');
        const rows = await access.select(
          `select ${columns} from ${this.#quote(link.table, access)} where ${access.quoteColumn(component)} in (${placeholders(ids)})`,
          [...ids].map(Number),
        );
        for (const row of rows) {
          const name = row[field];
          if (typeof name !== 'string' || link.components.get(name) !== table) continue;
          this.#owners.get(nameOf(table, row[component]))?.push({ link, field: name, id: row[owner] });
        }
      }
    }
  }

  /** Primary keys by table, of components that somebody has asked for by what they belong to. */
  #changedComponents(changes: readonly Change[]): ReadonlyMap<string, ReadonlySet<string>> {
    const changed = new Map<string, Set<string>>();
    for (const change of changes) {
      if (change.kind !== 'row' || !this.#catalog.areOwnersWanted(change.table)) continue;
      const id = valueKey((change.before ?? change.after)?.id);
      if (id !== undefined) changed.set(change.table, (changed.get(change.table) ?? new Set()).add(id));
    }
    return changed;
  }

  /** Join rows belong to the half of the row they refer to; rows already gone are remembered from their images. */
  async #lookUpHalves(changes: readonly Change[], access: LookUpAccess): Promise<void> {
    const wanted = new Map<string, Set<string>>();
    const want = (table: string, value: unknown): void => {
      const id = valueKey(value);
      if (id === undefined || !this.#catalog.has(table, PUBLISHED_AT)) return;
      wanted.set(table, (wanted.get(table) ?? new Set()).add(id));
    };
    for (const change of changes) {
      if (change.kind !== 'row') continue;
      const isHalved = this.#catalog.has(change.table, PUBLISHED_AT);
      for (const row of [change.before, change.after]) {
        if (row === undefined) continue;
        if (isHalved) {
          this.#halves.set(nameOf(change.table, row.id), halfOf(row));
          continue;
        }
        for (const [column, target] of this.#catalog.facts(change.table)?.references ?? []) want(target, row[column]);
        const morph = morphOf(this.#catalog, change.table, row);
        if (morph !== undefined) want(morph.target, row[morph.column]);
      }
    }
    for (const owners of this.#owners.values()) for (const { link, id } of owners) want(link.ownerTable, id);
    for (const [table, ids] of wanted) {
      const unknown = [...ids].filter((id) => !this.#halves.has(`${table}#${id}`));
      if (unknown.length === 0) continue;
      const rows = await access.select(
        `select id, ${PUBLISHED_AT} from ${this.#quote(table, access)} where id in (${placeholders(unknown)})`,
        unknown.map(Number),
      );
      for (const row of rows) this.#halves.set(nameOf(table, row.id), halfOf(row));
    }
  }

  #quote(table: string, access: LookUpAccess): string {
    return access.quoteTable(this.#catalog.facts(table)?.name ?? table);
  }
}

const nameOf = (table: string, id: unknown): string => `${table}#${valueKey(id) ?? ''}`;

const linkName = ({ table, owner, component, field }: ComponentLink, row: Row): string =>
  JSON.stringify([table, valueKey(row[owner]), valueKey(row[component]), row[field]]);

const placeholders = (values: Iterable<unknown>): string => [...values].map(() => '?').join(', ');
