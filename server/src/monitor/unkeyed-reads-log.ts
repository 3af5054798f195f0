import type { ResolvedRoute } from '../config/resolved-config';
import type { WhereRead } from '../http/unkeyed-reads';
import { ALL_HEADERS, REMOTE_ADDRESS, type ReadName } from '../http/request-reads';

/** Names told for one route; a handler may make up any number. */
const MAX_NAMES = 20;

/** Says once for each header of a route why its answers are not stored, and what to write. */
export const unkeyedReadsLog = (
  { path }: ResolvedRoute,
  warn: (line: string) => void,
): ((names: readonly ReadName[], where: WhereRead) => void) => {
  const told = new Set<ReadName>();
  return (names, where) => {
    const news = names.filter((name) => !told.has(name)).slice(0, MAX_NAMES - told.size);
    for (const name of news) {
      told.add(name);
      warn(`[rest-cache] GET ${path} is not stored: ${where(name) ?? 'its handler'} ${sentence(name)}`);
    }
  };
};

const sentence = (name: ReadName): string => {
  if (name === ALL_HEADERS)
    return (
      'lists all request headers. Read single headers instead, or, if ' +
      'they do not change the answer, write keys: { ignoreHeaders: ["*"] }.'
    );
  if (name === REMOTE_ADDRESS)
    return (
      "reads the caller's address. If that does not change the " +
      'answer, write keys: { ignoreHeaders: ["remote-address"] }; if it does, do not cache the route.'
    );
  if (name === 'authorization' || name === 'cookie')
    return (
      `reads the request header "${name}", which requests that may be ` +
      `cached carry here. If it does not change the answer, write keys: { ignoreHeaders: ["${name}"] }; if it does, ` +
      'leave hitpass at true.'
    );
  return (
    `reads the request header "${name}", which is not in the key. ` +
    `If it changes the answer, write keys: { useHeaders: ["${name}"] }; if it does not, keys: { ignoreHeaders: ["${name}"] }.`
  );
};
