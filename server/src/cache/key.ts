import { serialize } from 'node:v8';
import { isPlainObject } from './plain-object';

/** Names one entry: `<path>?<query>&<headers>&<identity>`. Logical: providers add their own prefix. */
export type CacheKey = string & { readonly __brand: 'cache-key' };

/** The parts of a request that its key is made of. */
export interface KeyParts {
  /** Canonical path; holds neither `?` nor `&`. */
  readonly path: string;
  /** The parsed query, reduced to the parameters that count. */
  readonly query: Readonly<Record<string, unknown>>;
  /** Name (lower case) and value of each header that counts and was sent, in the configured order. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
  /** The caller's identity, `''` where the entry is shared. */
  readonly identity: string;
}

/**
 * Builds the key of a request. Injective: two different sets of parts never make the same key, whatever characters
 * their values hold, because `&`, `=`, `?`, `[`, `]`, `:` and `,` inside a value are percent-encoded and the last two
 * `&` always delimit headers and identity. The order of parameters does not matter, but the order within one does:
 * `sort[a]&sort[b]` sorts by `a` first, and a handler may depend on the order within any parameter.
 */
export const cacheKey = ({ path, query, headers, identity }: KeyParts): CacheKey =>
  `${path}?${queryComponent(query)}&${headersComponent(headers)}&${identityComponent(identity)}` as CacheKey;

/**
 * A request header by which the responses under a key vary, with its value or a digest of the value; with neither if
 * the header was not sent.
 */
export interface VariantField {
  /** Lower case. */
  readonly name: string;
  readonly value?: string;
  readonly digest?: string;
}

/**
 * The key of one of several responses under a key: `<path>?<query>&<headers>;<fields>&<identity>`. Injective like the
 * key itself, because no encoded header holds a `;`. Each field is named whether it was sent or not, so that variants
 * by different fields have different keys.
 */
export const variantKey = (key: CacheKey, fields: readonly VariantField[]): CacheKey => {
  const end = key.lastIndexOf('&');
  return `${key.slice(0, end)};${fields.map(variantField).join(',')}${key.slice(end)}` as CacheKey;
};

const variantField = ({ name, value, digest }: VariantField): string =>
  encode(name) + (value !== undefined ? `=${encode(value)}` : digest !== undefined ? `:${digest}` : '');

/** A SHA-256 in hexadecimal, of which the beginning is enough to tell a few apart. */
const HASH = /[\da-f]{64}/g;

/**
 * For people, everything but path, query and caller that tells a key from others: headers, the fields of its variant,
 * and whatever has a name there that begins with a colon. `''` if there is nothing.
 */
export const variantInWords = (key: CacheKey): string => {
  const headers = key.slice(0, key.lastIndexOf('&'));
  return headers
    .slice(headers.lastIndexOf('&') + 1)
    .split(/[,;]/)
    .filter((part) => part !== '')
    .map((part) =>
      decoded(part)
        .replace(/^:/, '')
        .replace(HASH, (hash) => `${hash.slice(0, 8)}…`),
    )
    .join(', ');
};

/** Lone surrogates are spelled `%ud800` and stay so: see {@link encode}. */
const decoded = (text: string): string =>
  text.includes('%')
    ? text
        .split(/(%u[\da-f]{4})/)
        .map((part, place) => (place % 2 === 0 ? decodeURIComponent(part) : part))
        .join('')
    : text;

/** Path and query of the requests that a key names: its last two `&` delimit headers and caller. */
export const requestOf = (key: CacheKey): string => {
  const request = key.split('&').slice(0, -2).join('&');
  return request.endsWith('?') ? request.slice(0, -1) : request;
};

/** The name of the parameter that a pair of a key's query belongs to: `filters` for `filters[title][$eq]=a`. */
const parameterOf = (pair: string): string => {
  const end = pair.search(/[=[:]/);
  return decoded(end < 0 ? pair : pair.slice(0, end));
};

/** The query parameters of the requests that a key names. */
export interface KeyParameters {
  readonly names: readonly string[];
  /** The key of the same request without these parameters. */
  without(names: readonly string[]): CacheKey;
}

export const parametersIn = (key: CacheKey): KeyParameters => {
  const [path = '', rest = ''] = key.split(/\?(.*)/s);
  const parts = rest.split('&');
  const end = parts.slice(-2).join('&');
  const pairs = parts.slice(0, -2).map((pair) => ({ pair, name: parameterOf(pair) }));
  return {
    names: [...new Set(pairs.filter(({ pair }) => pair !== '').map(({ name }) => name))],
    without: (names) => {
      const left = pairs.filter(({ name }) => !names.includes(name)).map(({ pair }) => pair);
      return `${path}?${left.join('&')}&${end}` as CacheKey;
    },
  };
};

/** The query of a key: injective, and independent of the order of parameters. */
export const queryComponent = (query: KeyParts['query']): string => {
  const pairs: string[] = [];
  for (const name of Object.keys(query).sort()) {
    if (query[name] !== undefined) appendPairs(pairs, encode(name), query[name]);
  }
  return pairs.join('&');
};

/** The key of the same request by another caller, or by all callers who share an identity. */
export const keyOfCaller = (key: CacheKey, identity: string): CacheKey =>
  `${key.slice(0, key.lastIndexOf('&') + 1)}${identityComponent(identity)}` as CacheKey;

const headersComponent = (headers: KeyParts['headers']): string =>
  headers.map(([name, value]) => `${encode(name)}=${encode(value)}`).join(',');

/** Identities such as `up:7` stay readable: only what would break the grammar is encoded. */
const identityComponent = (identity: string): string => identity.replace(/[%&?]/g, (character) => encode(character));

/** Strings carry no mark, other types do, so that the number 1 and the string '1' stay apart. */
const appendPairs = (pairs: string[], name: string, value: unknown): void => {
  switch (typeof value) {
    case 'string':
      pairs.push(`${name}=${encode(value)}`);
      return;
    case 'object':
      break;
    default:
      pairs.push(`${name}:${typeof value}=${encode(String(value))}`);
      return;
  }
  if (value === null) {
    pairs.push(name === '' ? ':null' : name);
    return;
  }
  if (Array.isArray(value)) {
    if (value.length === 0) pairs.push(`${name}:array`);
    value.forEach((item, index) => appendPairs(pairs, `${name}[${index}]`, item));
    return;
  }
  if (!isPlainObject(value)) {
    pairs.push(`${name}:${encode(value.constructor.name)}=${encode(objectAsText(value))}`);
    return;
  }
  const keys = Object.keys(value).filter((key) => value[key] !== undefined);
  if (keys.length === 0) pairs.push(`${name}:object`);
  for (const key of keys) appendPairs(pairs, `${name}[${encodeObjectKey(key)}]`, value[key]);
};

/** JSON loses what Sets, Maps and regular expressions hold, so V8 serialises them. */
const objectAsText = (value: object): string =>
  'toJSON' in value ? JSON.stringify(value) : serialize(value).toString('base64url');

/** `{ 0: x }` and `[x]` are different values: a leading digit is encoded in object keys and plain in indexes. */
const encodeObjectKey = (key: string): string => {
  const encoded = encode(key);
  return /^\d/.test(encoded) ? `%3${encoded}` : encoded;
};

const encode = (text: string): string => {
  try {
    return encodeURIComponent(text);
  } catch {
    // Lone surrogates have no UTF-8 form; `%u` cannot come out of encodeURIComponent, so this stays injective.
    return Array.from(text, (character) =>
      /^[\ud800-\udfff]$/.test(character) ? `%u${character.charCodeAt(0).toString(16)}` : encodeURIComponent(character),
    ).join('');
  }
};
