import { createHash } from 'node:crypto';
import type { EntryLabels } from '../cache/entry';
import type { CacheKey } from '../cache/key';
import { tag, type Tag } from '../cache/tag';

/**
 * All tags but `EVERYTHING` are made here, and read back here.
 *
 * A *table's tag* begins with the table's name. It says by which write to the table it is stamped. A *scope* narrows a
 * table to some of its rows, such as those of one status or locale (`''` for the whole table, see row-scope.ts). A write
 * stamps every tag that holds for the row's images before and after. A response carries the narrowest tags that cover
 * what was read for it.
 *
 * A *book-keeping tag* begins with `type:`, and names what a person or a request purges without a write to a table.
 */

/** Characters that end a table's name in a tag. */
const PUNCTUATION = /[%!*+.#:~=|@]/g;

/** Names that other tags begin with. */
const TAKEN: ReadonlySet<string> = new Set(['type', 'entry']);

const escaped = (character: string): string => `%${character.charCodeAt(0).toString(16)}`;

/** The spellings made so far, by table: many tags are made for each read. */
const spellings = new Map<string, string>();

/** There are few tables, but raw statements may name any number of temporary ones. */
const MAX_SPELLINGS = 2000;

/** A table's name as tags spell it. The name of a table in another schema has a dot. */
const spelled = (table: string): string => {
  let spelling = spellings.get(table);
  if (spelling === undefined) {
    spelling = TAKEN.has(table) ? escaped(table) + table.slice(1) : table.replace(PUNCTUATION, escaped);
    if (spellings.size >= MAX_SPELLINGS) spellings.clear();
    spellings.set(table, spelling);
  }
  return spelling;
};

const unescaped = (text: string): string =>
  text.replace(/%([0-9a-f]{2})/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));

/** The table changed in a way that is not known row by row. Every response that reads the table carries this tag. */
export const tableTag = (table: string): Tag => tag(`${spelled(table)}!`);

/** The table of a {@link tableTag}; `undefined` for most other tags. */
export const tableOf = (name: Tag): string | undefined => (name.endsWith('!') ? namedBy(name).table : undefined);

/** Any change that is known row by row. For reads that cannot be narrowed down further than to the scope. */
export const anyRowTag = (table: string, scope = ''): Tag => tag(`${spelled(table)}${scope}*`);

/** For reads of which only the table is known: every write to the table stamps one of these tags. */
export const wholeTableTags = (table: string): Tag[] => [tableTag(table), anyRowTag(table)];

/** A row appeared in the scope or disappeared from it. For lists and counts. */
export const membershipTag = (table: string, scope = ''): Tag => tag(`${spelled(table)}${scope}+`);

/** Some row's value in this column changed. For lists that filter or sort by it. */
export const columnTag = (table: string, scope: string, column: string): Tag =>
  tag(`${spelled(table)}${scope}.${column}`);

/**
 * Some row's reference in this column changed because the row it refers to moved. For reads that show the column, or
 * compare it other than by following the reference.
 */
export const movedReferenceTag = (table: string, scope: string, column: string): Tag =>
  tag(`${spelled(table)}${scope}.${column}>`);

/** The row with this primary key changed, appeared or disappeared. For responses that contain it. */
export const rowTag = (table: string, id: string): Tag => tag(`${spelled(table)}#${id}`);

/**
 * The row with this primary key appeared, disappeared, moved, or changed in more than the columns that Strapi rewrites
 * with every save. For reads that show nothing of the row, and for responses made from an earlier copy of it, such as
 * the caller in `ctx.state`.
 */
export const substanceTag = (table: string, id: string): Tag => tag(`${spelled(table)}=${id}`);

/** A row that holds this value in this column changed, appeared or disappeared. For look-ups by that column. */
export const keyTag = (table: string, scope: string, column: string, value: string): Tag =>
  tag(`${spelled(table)}${scope}:${column}=${value}`);

/**
 * A row with this value in a sort column moved among the rows with the same value (its primary key, the tie-breaker,
 * changed). For pages of a sorted list: the move concerns only pages that hold a row with that value.
 */
export const tieTag = (table: string, scope: string, column: string, value: string): Tag =>
  tag(`${spelled(table)}${scope}~${column}=${value}`);

/**
 * A row that holds this value in this column appeared, disappeared, or changed in more than its place among others, its
 * primary key or references to moved rows. For look-ups by that column that depend on none of these.
 */
export const keySubstanceTag = (table: string, scope: string, column: string, value: string): Tag =>
  tag(`${spelled(table)}${scope}:${column}:${value}`);

/** A row was moved (it got another primary key) from or to this span of primary keys. For pages in key order. */
export const spanTag = (table: string, scope: string, span: string): Tag => tag(`${spelled(table)}${scope}~id/${span}`);

/** The tag that a purge by an admin or an API caller stamps. */
export const contentTypeTag = (uid: string): Tag => tag(`type:${uid}`);

/** Carried by entries of a content type whose route parameters include all of these. */
export const paramsTag = (uid: string, params: Readonly<Record<string, string | number>>): Tag =>
  tag(
    `type:${uid}?${Object.keys(params)
      .sort()
      .map((name) => `${encodeURIComponent(name)}=${brief(encodeURIComponent(String(params[name])))}`)
      .join('&')}`,
  );

/**
 * Carried by a response for which nothing was read from the database: only a write request to the same path shows that
 * it may have changed. Differs from the tag of every content type, because a uid does not look like a path.
 */
export const pathTag = (path: string): Tag => tag(`type:${brief(path)}`);

/** The path of a {@link pathTag}; `undefined` for other tags, and for paths of which the tag holds a digest. */
export const pathOf = (name: Tag): string | undefined => /^type:(\/.*)$/s.exec(name)?.[1];

/**
 * Carried by the copies of this entry that processes keep beside a shared store. Deleting the entry stamps it, so that all
 * of them drop their copies.
 */
export const entryTag = (key: CacheKey): Tag => tag(`entry:${brief(key)}`);

/** Carried by all such copies. Stamped when the shared store has lost an entry of which there may be copies. */
export const COPIES = tag('entry:');

/**
 * Longest value, in characters, that a tag holds as it is; longer values become a digest. Callers choose the values,
 * and stamped tags stay in memory.
 */
const MAX_VALUE = 200;

/** No value looks like a digest: encodeURIComponent never produces `:`, and paths and keys begin with `/`. */
const brief = (value: string): string =>
  value.length <= MAX_VALUE ? value : `sha256:${createHash('sha256').update(value).digest('base64url')}`;

/**
 * How many of a route's parameters can narrow a purge, counted from the first. Each further parameter would double the
 * number of tags.
 */
const MAX_PARAMS = 6;

/** The names of the route parameters by which a purge can be narrowed. */
export const narrowingNames = (names: readonly string[]): readonly string[] => names.slice(0, MAX_PARAMS);

/** A tag for every way to narrow a purge that includes an entry with these parameters. */
export const narrowingTags = (uid: string, params: Readonly<Record<string, string>>): Tag[] => {
  const names = narrowingNames(Object.keys(params));
  const tags: Tag[] = [];
  for (let selection = 1; selection < 1 << names.length; selection += 1) {
    const chosen = names.filter((_, index) => (selection >> index) & 1);
    tags.push(paramsTag(uid, Object.fromEntries(chosen.map((name) => [name, params[name] ?? '']))));
  }
  return tags;
};

/** Of the tags of an entry with these labels, the one that the fewest others carry. */
export const narrowestTag = ({ contentType, params }: EntryLabels): Tag =>
  narrowingTags(contentType, params).at(-1) ?? contentTypeTag(contentType);

/** What a tag names. */
export interface Named {
  /** What all tags of one table, of one content type, or of one path have in common. */
  readonly group: string;
  /** `undefined` for tags that name no table. */
  readonly table: string | undefined;
  /**
   * `undefined` for all but the {@link keyTag} of the column `document_id`. Every write of a document stamps such a tag,
   * unless its table is stamped as a whole.
   */
  readonly documentId: string | undefined;
}

/** A book-keeping tag without its parameters; or a table, and the document id if the tag is one for a look-up by it. */
const FORM = /^(?:(type:(?:\/.*|[^?]*)|entry:.*)|([^!*+.#:~=|@]*)(?:(?:[|@][^:]*)?:document_id=(.+))?)/s;

export const namedBy = (name: Tag): Named => {
  const [, bookkeeping, table = '', documentId] = FORM.exec(name) ?? [];
  return { group: bookkeeping ?? table, table: table === '' ? undefined : unescaped(table), documentId };
};
