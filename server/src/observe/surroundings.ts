import type { Change } from './change-log';
import { valueKey, type Row } from './column-value';
import { halfOf, morphOf, PUBLISHED_AT, type ComponentOwner, type Half, type Surroundings } from './row-scope';
import type { TableCatalog } from './table-catalog';

/** More components than this changed by one transaction, and nobody looks up what they belong to. */
const MAX_COMPONENTS_LOOKED_UP = 500;

/** One connection, as far as looking things up takes it. */
export interface LookUpAccess {
  select(sql: string, bindings: readonly unknown[]): Promise<readonly Row[]>;
  quoteTable(name: string): string;
  quoteColumn(name: string): string;
}

interface Reference {
  readonly table: string;
  readonly id: unknown;
}

/** What surrounds the rows that one transaction changes. */
export class TransactionSurroundings implements Surroundings {
  readonly #catalog: TableCatalog;
  readonly #halves = new Map<string, Half | undefined>();
  /** Primary keys by table, of rows whose halves were asked for. */
  readonly #askedFor = new Map<string, ReadonlySet<string>>();
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

  /** Whether components have changed whose owners matter to somebody. */
  lacksOwners(changes: readonly Change[]): boolean {
    return this.#changedComponents(changes).size > 0;
  }

  /**
   * Looks up what holds the changed components, once the transaction is committed: whoever links one of them later finds
   * it as it is now. Who held it before has lost a link, of which every read that asked for it hears anyway.
   */
  async lookUpOwners(changes: readonly Change[], access: LookUpAccess): Promise<void> {
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
    const owners = [...this.#owners.values()].flat();
    await this.#halvesOf(
      owners.map(({ link, id }) => ({ table: link.ownerTable, id })),
      access,
    );
    this.#forgetVanished(changes);
  }

  /** What is not found may have been taken away by somebody who has not stamped it yet: nobody knows, then. */
  #forgetVanished(changes: readonly Change[]): void {
    const unlinkedHere = new Set<string>();
    for (const change of changes) {
      const link = this.#catalog.componentLink(change.kind === 'row' ? change.table : '');
      if (link === undefined || change.kind !== 'row' || change.before === undefined) continue;
      const component = link.components.get(String(change.before[link.field]));
      if (component !== undefined) unlinkedHere.add(nameOf(component, change.before[link.component]));
    }
    for (const [name, owners] of this.#owners) {
      const isWhole = owners.length > 0 ? owners.every((owner) => this.#isFound(owner)) : unlinkedHere.has(name);
      if (!isWhole) this.#owners.delete(name);
    }
  }

  #isFound({ link: { ownerTable }, id }: ComponentOwner): boolean {
    return !this.#catalog.has(ownerTable, PUBLISHED_AT) || this.halfOf(ownerTable, id) !== undefined;
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
  async lookUpHalves(changes: readonly Change[], access: LookUpAccess): Promise<void> {
    const wanted: Reference[] = [];
    for (const change of changes) {
      if (change.kind !== 'row') continue;
      const isHalved = this.#catalog.has(change.table, PUBLISHED_AT);
      for (const row of [change.before, change.after]) {
        if (row === undefined) continue;
        if (isHalved) {
          this.#halves.set(nameOf(change.table, row.id), halfOf(row));
          continue;
        }
        for (const [column, table] of this.#catalog.facts(change.table)?.references ?? [])
          wanted.push({ table, id: row[column] });
        const morph = morphOf(this.#catalog, change.table, row);
        if (morph !== undefined) wanted.push({ table: morph.target, id: row[morph.column] });
      }
    }
    await this.#halvesOf(wanted, access);
  }

  /** Whether halves were asked for that another transaction may have changed since. */
  get hasAskedForHalves(): boolean {
    return this.#askedFor.size > 0;
  }

  /**
   * Asks again, once the transaction is committed. A row that is gone keeps its half: whoever took it away stamps that.
   *
   * @returns whether one of them is in another half than before.
   */
  async haveHalvesChanged(access: LookUpAccess): Promise<boolean> {
    const earlier = new Map(this.#halves);
    for (const [table, ids] of this.#askedFor) await this.#askForHalves(table, ids, access);
    return [...earlier].some(([name, half]) => this.#halves.get(name) !== half);
  }

  async #halvesOf(references: readonly Reference[], access: LookUpAccess): Promise<void> {
    const wanted = new Map<string, Set<string>>();
    for (const { table, id } of references) {
      const key = valueKey(id);
      if (key === undefined || !this.#catalog.has(table, PUBLISHED_AT) || this.#halves.has(`${table}#${key}`)) continue;
      wanted.set(table, (wanted.get(table) ?? new Set()).add(key));
    }
    for (const [table, ids] of wanted) {
      this.#askedFor.set(table, ids);
      await this.#askForHalves(table, ids, access);
    }
  }

  async #askForHalves(table: string, ids: ReadonlySet<string>, access: LookUpAccess): Promise<void> {
    const rows = await access.select(
      `select id, ${PUBLISHED_AT} from ${this.#quote(table, access)} where id in (${placeholders(ids)})`,
      [...ids].map(Number),
    );
    for (const row of rows) this.#halves.set(nameOf(table, row.id), halfOf(row));
  }

  #quote(table: string, access: LookUpAccess): string {
    return access.quoteTable(this.#catalog.facts(table)?.name ?? table);
  }
}

const nameOf = (table: string, id: unknown): string => `${table}#${valueKey(id) ?? ''}`;

const placeholders = (values: Iterable<unknown>): string => [...values].map(() => '?').join(', ');
