import { distance } from 'fastest-levenshtein';

/** Of a third of its letters, and at least of one, a word may differ and still be that word misspelt. */
const isNear = (asked: string, word: string): number | undefined => {
  const edits = distance(asked.toLowerCase(), word.toLowerCase());
  return edits <= Math.max(1, Math.floor(word.length / 3)) ? edits : undefined;
};

const segmentsOf = (path: string): string[] => path.split('/').filter((segment) => segment !== '');

const isParameter = (segment: string): boolean => /[:(*]/.test(segment);

/** How many letters differ, where each part of the path is near its part of the pattern. */
const editsBetween = (asked: readonly string[], pattern: readonly string[]): number | undefined => {
  if (asked.length !== pattern.length) return undefined;
  let sum = 0;
  for (const [index, word] of pattern.entries()) {
    if (isParameter(word)) continue;
    const edits = isNear(asked[index] ?? '', word);
    if (edits === undefined) return undefined;
    sum += edits;
  }
  return sum;
};

/** The pattern that was probably meant, if any: misspelt, or without the prefix of the API. */
export const nearRoute = (asked: string, patterns: readonly string[]): string | undefined => {
  const path = segmentsOf(asked);
  let nearest: string | undefined;
  let fewest = Infinity;
  for (const pattern of patterns) {
    const parts = segmentsOf(pattern);
    const [prefix = ''] = parts;
    const edits = editsBetween(path, parts) ?? editsBetween([prefix, ...path], parts);
    if (edits !== undefined && edits < fewest) [nearest, fewest] = [pattern, edits];
  }
  return nearest;
};
