import type { Core } from '@strapi/strapi';
import { cacheKey, type CacheKey } from '../cache/key';
import { parsedQuery } from '../http/query-parameters';

/** Selects the keys that match what an admin has typed or pasted into the search field. */
export type KeySearch = (keys: readonly CacheKey[]) => ReadonlySet<CacheKey>;

/** Path and query of the request that a key stands for: the key's last two `&` delimit headers and caller (key.ts). */
export const requestOf = (key: CacheKey): string => {
  const request = key.split('&').slice(0, -2).join('&');
  return request.endsWith('?') ? request.slice(0, -1) : request;
};

interface Asked {
  readonly path: string;
  readonly parameters: ReadonlySet<string>;
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text).toLowerCase();
  } catch {
    return text.toLowerCase();
  }
};

const askedBy = (request: string): Asked => {
  const [path = '', query = ''] = request.split(/\?(.*)/s);
  const parameters = query.split('&').filter((parameter) => parameter !== '');
  return { path: decoded(path), parameters: new Set(parameters.map(decoded)) };
};

const isSubset = (some: ReadonlySet<string>, all: ReadonlySet<string>): boolean =>
  [...some].every((each) => all.has(each));

/**
 * A search for what an admin has written. A URL with a query finds its own entry, whatever the order and spelling of
 * its parameters. If there is none, it finds entries that lack some of its parameters (`keys.useQueryParams`) or have
 * additional ones (which a middleware has added). A path that ends in `*` finds all requests that begin with it.
 * Anything else is searched for as a part of the key.
 */
export const keySearch = (strapi: Core.Strapi, written: string): KeySearch => {
  const wanted = decoded(pathOf(written));
  const containing: KeySearch = (keys) => new Set(keys.filter((key) => decoded(key).includes(wanted)));
  const prefix = prefixOf(wanted);
  if (prefix !== undefined) return (keys) => new Set(keys.filter((key) => decoded(requestOf(key)).startsWith(prefix)));
  const asked = askedByUrl(strapi, written);
  if (asked === undefined || asked.parameters.size === 0) return containing;
  return (keys) => {
    const alike = keys
      .map((key) => ({ key, ...askedBy(requestOf(key)) }))
      .filter(({ path }) => path === asked.path || `${path}/` === asked.path);
    const similar = alike.filter(
      ({ parameters }) =>
        parameters.size > 0 && (isSubset(parameters, asked.parameters) || isSubset(asked.parameters, parameters)),
    );
    const exact = similar.filter(({ parameters }) => parameters.size === asked.parameters.size);
    const found = exact.length > 0 ? exact : similar;
    return found.length > 0 ? new Set(found.map(({ key }) => key)) : containing(keys);
  };
};

/** The part of `/api/articles/*` before the star. In a query (`populate=*`), a star has no special meaning. */
const prefixOf = (wanted: string): string | undefined =>
  wanted.startsWith('/') && wanted.endsWith('*') && !wanted.includes('?') ? wanted.slice(0, -1) : undefined;

/** Removes scheme and host from a URL that was pasted as a whole. */
const pathOf = (written: string): string => {
  const trimmed = written.trim();
  return /^https?:\/\/[^/]/i.test(trimmed) ? trimmed.replace(/^https?:\/\/[^/]+/i, '') : trimmed;
};

/** Path and parameters of a URL, spelled as in a key; `undefined` if the text is no URL. */
const askedByUrl = (strapi: Core.Strapi, written: string): Asked | undefined => {
  const url = pathOf(written).replace(/#.*$/s, '');
  if (!url.startsWith('/')) return undefined;
  try {
    const query = parsedQuery(strapi.server.app, url);
    const path = (url.split('?')[0] ?? '').replace(/[&?]/g, encodeURIComponent);
    return askedBy(requestOf(cacheKey({ path, query, headers: [], identity: '' })));
  } catch {
    return undefined;
  }
};
