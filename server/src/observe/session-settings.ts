import { lookUpKey } from '../dependencies/lookup-memo';
import type { Query } from '../sql/statement';

/** A connection that has been set to more than this, in characters, is not told from others any more. */
const MAX_LENGTH = 1000;

/** What sets nothing that a later statement could notice. */
const HARMLESS = /^\s*(?:show|explain|describe|desc|listen|unlisten|notify)\b/i;

/**
 * What each connection has been set to by statements that are neither reads nor writes: after `SET search_path` the same
 * text asks other tables.
 */
export class SessionSettings {
  readonly #settings = new WeakMap<object, string | undefined>();

  /** @param isUndoable whether a rollback may take it back. */
  note(connection: object, query: Query, isUndoable: boolean): void {
    if (HARMLESS.test(query.sql)) return;
    const earlier = isUndoable ? undefined : this.of(connection);
    const setting = query.sql.length > MAX_LENGTH ? undefined : lookUpKey('', query);
    const later = earlier === undefined || setting === undefined ? undefined : earlier + setting;
    this.#settings.set(connection, later === undefined || later.length > MAX_LENGTH ? undefined : later);
  }

  /** Equal for connections on which the same text means the same; `undefined` where that cannot be told. */
  of(connection: object): string | undefined {
    return this.#settings.has(connection) ? this.#settings.get(connection) : '';
  }
}
