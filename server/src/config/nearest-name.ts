import { distance } from 'fastest-levenshtein';

/** The one of `names` that takes the fewest edits to reach from `written`, whatever the case; `undefined` if there are none. */
export const nearestName = (written: string, names: readonly string[]): string | undefined => {
  const wanted = written.toLowerCase();
  let nearest: string | undefined;
  let fewest = Infinity;
  for (const name of names) {
    const edits = distance(wanted, name.toLowerCase());
    if (edits < fewest) [nearest, fewest] = [name, edits];
  }
  return nearest;
};

/** At most half of it had to change. */
const isNear = (written: string, name: string): boolean =>
  distance(written.toLowerCase(), name.toLowerCase()) <= Math.max(written.length, name.length) / 2;

/** `useQuery` for `useQueryParams`, or the reverse. */
const isPart = (written: string, name: string): boolean => {
  const [shorter = '', longer = ''] = [written, name]
    .map((part) => part.toLowerCase())
    .sort((a, b) => a.length - b.length);
  return shorter.length > 3 && longer.includes(shorter);
};

/** The one of `names` that was probably meant, if any: one that is part of the other, or else the nearest if it is near. */
export const likelyName = (written: string, names: readonly string[]): string | undefined => {
  const part = nearestName(
    written,
    names.filter((name) => isPart(written, name)),
  );
  if (part !== undefined) return part;
  const nearest = nearestName(written, names);
  return nearest !== undefined && isNear(written, nearest) ? nearest : undefined;
};
