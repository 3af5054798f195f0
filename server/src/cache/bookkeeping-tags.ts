import { tag, type Tag } from './tag';

/** Named by hand: what admins and purge callers stamp. No table is called `type`: `type:` cannot be a row's tag. */
export const contentTypeTag = (uid: string): Tag => tag(`type:${uid}`);

/** Entries of a content type whose route parameters include all of these. */
export const paramsTag = (uid: string, params: Readonly<Record<string, string | number>>): Tag =>
  tag(
    `type:${uid}?${Object.keys(params)
      .sort()
      .map((name) => `${encodeURIComponent(name)}=${encodeURIComponent(String(params[name]))}`)
      .join('&')}`,
  );

/** Routes with more parameters than this are purged by content type only. */
const MAX_PARAMS = 6;

/** A tag for every way to narrow a purge that includes an entry with these parameters. */
export const narrowingTags = (uid: string, params: Readonly<Record<string, string>>): Tag[] => {
  const names = Object.keys(params).slice(0, MAX_PARAMS);
  const tags: Tag[] = [];
  for (let selection = 1; selection < 1 << names.length; selection += 1) {
    const chosen = names.filter((_, index) => (selection >> index) & 1);
    tags.push(paramsTag(uid, Object.fromEntries(chosen.map((name) => [name, params[name] ?? '']))));
  }
  return tags;
};
