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

/** `useQuery` for `useQueryParams`. */
const isPartOf = (written: string, name: string): boolean =>
  written.length > 3 && name.toLowerCase().includes(written.toLowerCase());

/**
 * The one of `names` that was probably meant, if any: one of which `written` is a part, or else the nearest if at most
 * half of it had to change.
 */
export const likelyName = (written: string, names: readonly string[]): string | undefined => {
  const whole = nearestName(
    written,
    names.filter((name) => isPartOf(written, name)),
  );
  if (whole !== undefined) return whole;
  const nearest = nearestName(written, names);
  if (nearest === undefined) return undefined;
  return editsBetween(written, nearest) <= Math.max(written.length, nearest.length) / 2 ? nearest : undefined;
};
