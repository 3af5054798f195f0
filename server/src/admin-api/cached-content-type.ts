import { describeValue } from '../config/configuration-error';
import { badRequest } from './bad-request';

/** @throws an error that is answered with status 400 when it is not one of those that are cached. */
export const cachedContentType = (sent: string, cached: readonly string[]): string => {
  if (cached.includes(sent)) return sent;
  throw badRequest(
    `${describeValue(sent)} is not a cached content type; ` +
      (cached.length === 0 ? 'none is cached' : `expected one of ${cached.map((uid) => `"${uid}"`).join(', ')}`),
  );
};
