import { createHash } from 'node:crypto';
import { tag, type Tag } from './tag';

/** Named by hand: what admins and purge callers stamp. No table is called `type`: `type:` cannot be a row's tag. */
export const contentTypeTag = (uid: string): Tag => tag(`type:${uid}`);

/** Entries of a content type whose route parameters include all of these. */
export const paramsTag = (uid: string, params: Readonly<Record<string, string | number>>): Tag =>
  tag(
    `type:${uid}?${Object.keys(params)
      .sort()
      .map((name) => `${encodeURIComponent(name)}=${brief(encodeURIComponent(String(params[name])))}`)
      .join('&')}`,
  );

/** For answers at a path for which nothing was read: only requests to it can tell of a change. No uid looks like one. */
export const pathTag = (path: string): Tag => tag(`type:${brief(path)}`);

/** Longer values are held as a digest: whoever asks or purges chooses them, and stamps are remembered. */
const MAX_VALUE = 200;

/** `:` does not come out of encodeURIComponent: no value looks like a digest. */
const brief = (value: string): string =>
  value.length <= MAX_VALUE ? value : `sha256:${createHash('sha256').update(value).digest('base64url')}`;

/** Of a route with more parameters than this only the first can narrow a purge: each one more doubles the tags. */
const MAX_PARAMS = 6;

/** Those of a route's parameters by which a purge can be narrowed. */
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
