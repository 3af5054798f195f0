import { distance } from 'fastest-levenshtein';

const editsBetween = (written: string, name: string): number => distance(written.toLowerCase(), name.toLowerCase());

/** The one of `names` that takes the fewest edits to reach from `written`, whatever the case; `undefined` if there are none. */
export const nearestName = (written: string, names: readonly string[]): string | undefined => {
  let nearest: string | undefined;
  let fewest = Infinity;
  for (const name of names) {
    const edits = editsBetween(written, name);
    if (edits < fewest) [nearest, fewest] = [name, edits];
  }
  return nearest;
};

/** `useQuery` for `useQueryParams`, `enableEtagSupport` for `enableEtag`. */
const isPartOf = (part: string, whole: string): boolean =>
  part.length > 3 && whole.toLowerCase().includes(part.toLowerCase());

const lettersOf = (name: string): string => [...name.toLowerCase()].sort().join('');

/** Of a third of its letters, and at least of one, a name may differ and still be that name misspelt; so may `hots` for `host`. */
export const isNear = (written: string, name: string): boolean => {
  const edits = editsBetween(written, name);
  const isTransposed = edits === 2 && lettersOf(written) === lettersOf(name);
  return isTransposed || edits <= Math.max(1, Math.floor(Math.max(written.length, name.length) / 3));
};

/**
 * The one of `names` that was probably meant, if any: one that is near, or else one of which `written` is a part, or which
 * is a part of it.
 */
export const likelyName = (written: string, names: readonly string[]): string | undefined =>
  [isNear, isPartOf, (whole: string, part: string) => isPartOf(part, whole)]
    .map((isLike) =>
      nearestName(
        written,
        names.filter((name) => isLike(written, name)),
      ),
    )
    .find((name) => name !== undefined);

/** `api::article.article`: these are said of many and say nothing of one. */
const NAMESPACE = /^[\w-]+::/;

/** The one of `uids` that `written` is a misspelling of, each part of it near its part of the other, if any. */
export const nearUid = (written: string, uids: readonly string[]): string | undefined => {
  const namespace = NAMESPACE.exec(written)?.[0] ?? '';
  const parts = written.slice(namespace.length).split('.');
  const near = uids.filter((uid) => {
    const own = uid.replace(NAMESPACE, '').split('.');
    return own.length === parts.length && own.every((part, index) => isNear(parts[index] ?? '', part));
  });
  return nearestName(written, near);
};
