import { isNear, nearestName } from './nearest-name';

const segmentsOf = (path: string): string[] => path.split('/').filter((segment) => segment !== '');

const isParameter = (segment: string): boolean => /[:(*]/.test(segment);

/** The route pattern that was probably meant, if any. Segments may be misspelt, and the API prefix may be missing. */
export const nearRoute = (asked: string, patterns: readonly string[]): string | undefined => {
  const path = segmentsOf(asked);
  const isLike = (pattern: string): boolean => {
    const parts = segmentsOf(pattern);
    const isLikeAll = (written: readonly string[]): boolean =>
      written.length === parts.length &&
      parts.every((part, index) => isParameter(part) || isNear(written[index] ?? '', part));
    return isLikeAll(path) || isLikeAll([parts[0] ?? '', ...path]);
  };
  return nearestName(asked, patterns.filter(isLike));
};
