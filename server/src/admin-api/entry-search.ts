import type { Core } from '@strapi/strapi';
import { cacheKey, requestOf, type CacheKey } from '../cache/key';
import { parsedQuery } from '../http/query-parameters';

/**
 * How well a key matches what an admin has typed or pasted into the search field; 0 if it does not match at all. Of all
 * keys, only those that match best are found.
 */
export type KeySearch = (key: CacheKey) => number;

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
 * additional ones (which a middleware has added). A path that ends in `*` finds all requests that begin with it, and so
 * does a query (`?page=1*`), unless it finds its own entry (`?populate=*`). Anything else is searched for as a part of
 * the key.
 */
export const keySearch = (strapi: Core.Strapi, written: string): KeySearch => {
  const wanted = decoded(pathOf(written));
  if (wanted.startsWith('/') && wanted.endsWith('*') && !wanted.includes('?')) {
    const beginning = wanted.slice(0, -1);
    return (key) => Number(decoded(requestOf(key)).startsWith(beginning));
  }
  const contains: KeySearch = (key) => Number(decoded(key).includes(wanted));
  const asked = askedByUrl(strapi, written);
  if (asked === undefined || asked.parameters.size === 0) return contains;
  const starred = starredIn(strapi, written);
  const plain = new Set([...asked.parameters].filter((parameter) => parameter !== starred));
  const beginning = starred?.replace(/\*=?$/, '');
  return (key) => {
    const { path, parameters } = askedBy(requestOf(key));
    if (path !== asked.path && `${path}/` !== asked.path) return contains(key);
    const lacks = isSubset(parameters, asked.parameters);
    const adds = isSubset(asked.parameters, parameters);
    if (lacks && adds) return 5;
    // The star was meant as such, or stands for what begins so.
    if (starred !== undefined && adds) return 4;
    const begins = beginning !== undefined && [...parameters].some((each) => each.startsWith(beginning));
    if (begins && isSubset(plain, parameters)) return 3;
    return parameters.size > 0 && (lacks || adds) ? 2 : contains(key);
  };
};

/** The last parameter of a URL that ends in `*`, spelled as in a key. */
const starredIn = (strapi: Core.Strapi, written: string): string | undefined => {
  const [path = '', query = ''] = pathOf(written).split(/\?(.*)/s);
  if (!query.endsWith('*')) return undefined;
  const [parameter, ...others] = askedByUrl(strapi, `${path}?${query.split('&').at(-1) ?? ''}`)?.parameters ?? [];
  return others.length === 0 ? parameter : undefined;
};

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
