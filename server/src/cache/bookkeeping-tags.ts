import { createHash } from 'node:crypto';
import { tag, type Tag } from './tag';

/**
 * The tag that a purge by an admin or an API caller stamps. Assumes that no table is called `type`, so that no row's
 * tag begins with `type:`.
 */
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

/**
 * The part of such a tag that all tags of its content type, or of its path, have in common; `undefined` for other tags.
 * A column's name holds neither `::` nor a slash, so a key of a table called `type` is not taken for one.
 */
export const bookkeepingGroup = (name: Tag): string | undefined => /^type:(?:[\w-]+::[^?]*|\/.*)/.exec(name)?.[0];

/**
 * Longest value, in characters, that a tag holds as it is; longer values become a digest. Callers choose the values,
 * and stamped tags stay in memory.
 */
const MAX_VALUE = 200;

/** No value looks like a digest: encodeURIComponent never produces `:`, and paths begin with `/`. */
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
