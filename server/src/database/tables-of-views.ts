import { Survey } from '../sql/survey';
import { tokenise } from '../sql/tokenise';
import { type Dialect, findWord, type NamesInForce, words } from '../sql/tokens';

/** A database as far as it has been described. */
interface Described extends Omit<NamesInForce, 'views'> {
  readonly tables: ReadonlyMap<string, unknown>;
}

/**
 * The plain tables that views are made of, those of views within views among them. A view is left out whose rows may
 * depend on anything else: the time, chance, a function of the application's own, the session, what is no plain table.
 *
 * @param definitions by the view's name.
 */
export const tablesOfViews = (
  dialect: Dialect,
  definitions: ReadonlyMap<string, string>,
  described: Described,
): ReadonlyMap<string, readonly string[]> => {
  const views = new Map<string, readonly string[]>();
  const names: NamesInForce = { ...described, views };
  // Each round, views that are known by now stand for their tables in the definitions of others.
  for (let known = -1; known < views.size; ) {
    known = views.size;
    for (const [view, definition] of definitions) {
      const tables = views.has(view) ? undefined : tablesOf(dialect, definition, names);
      if (tables?.every((table) => described.tables.has(table)) === true) views.set(view, tables);
    }
  }
  return views;
};

const AS = words('as');

const tablesOf = (dialect: Dialect, definition: string, names: NamesInForce): readonly string[] | undefined => {
  const tokens = tokenise(definition, dialect, names);
  if (tokens === undefined) return undefined;
  const end = tokens.semicolons[0] ?? tokens.list.length;
  // `create view recent (id, title) as select …`
  const start = dialect === 'sqlite' ? findWord(tokens, 0, end, AS) + 1 : 0;
  if (start >= end) return undefined;
  const { reads, writes, unknown, outside, doubtful, session, unstable } = new Survey(tokens, start, end);
  const isPlain = writes.size === 0 && !unknown && outside === undefined && !doubtful && !session && !unstable;
  return isPlain ? [...reads] : undefined;
};
