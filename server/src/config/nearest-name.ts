import { distance } from 'fastest-levenshtein';

const editsBetween = (written: string, name: string): number => distance(written.toLowerCase(), name.toLowerCase());

/** The name with the fewest edits from `written`, ignoring case; `undefined` if there are no names. */
export const nearestName = (written: string, names: readonly string[]): string | undefined => {
  let nearest: string | undefined;
  let fewest = Infinity;
  for (const name of names) {
    const edits = editsBetween(written, name);
    if (edits < fewest) [nearest, fewest] = [name, edits];
  }
  return nearest;
};

/** For `useQuery` instead of `useQueryParams`, or `enableEtagSupport` instead of `enableEtag`. */
const isPartOf = (part: string, whole: string): boolean =>
  part.length > 3 && whole.toLowerCase().includes(part.toLowerCase());

const lettersOf = (name: string): string => [...name.toLowerCase()].sort().join('');

/**
 * Whether `written` may be a misspelling of `name`: at most a third of the letters differ (one always may), or two
 * letters have changed places (`hots` for `host`).
 */
export const isNear = (written: string, name: string): boolean => {
  const edits = editsBetween(written, name);
  const isTransposed = edits === 2 && lettersOf(written) === lettersOf(name);
  return isTransposed || edits <= Math.max(1, Math.floor(Math.max(written.length, name.length) / 3));
};

/**
 * The name that was probably meant, if any: one that is near, otherwise one that contains `written`, otherwise one that
 * `written` contains.
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
