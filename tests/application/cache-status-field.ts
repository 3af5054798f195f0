/** One member of a `Cache-Status` field: the cache's name and its parameters. */
export interface CacheStatusMember {
  readonly cache: string;
  readonly parameters: Readonly<Record<string, boolean | number | string>>;
}

const NAME = /^[a-z*][a-z0-9_\-.*]*/;
const TOKEN = /^[A-Za-z*][A-Za-z0-9:/!#$%&'*+\-.^_`|~]*/;
const INTEGER = /^-?\d{1,15}(?![\d.])/;
const STRING = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"/;
const FORWARD_REASONS = ['bypass', 'method', 'uri-miss', 'vary-miss', 'miss', 'request', 'stale', 'partial'];

/**
 * Parses a `Cache-Status` field with one member according to RFC 9211 and RFC 8941 (lists, parameters).
 *
 * @throws Error if the field breaks the grammar, or if a parameter breaks the meaning that RFC 9211 gives it.
 */
export const parseCacheStatus = (field: string | null): CacheStatusMember => {
  let rest = field ?? '';
  const take = (pattern: RegExp, what: string): string => {
    const [text] = pattern.exec(rest) ?? [];
    if (text === undefined) throw new Error(`expected ${what} at "${rest}" in "${field}"`);
    rest = rest.slice(text.length);
    return text;
  };
  const bareItem = (): boolean | number | string => {
    if (INTEGER.test(rest)) return Number(take(INTEGER, 'an integer'));
    if (STRING.test(rest))
      return take(STRING, 'a string')
        .slice(1, -1)
        .replace(/\\(["\\])/g, '$1');
    return take(TOKEN, 'a token');
  };
  const cache = take(TOKEN, "the cache's name");
  const parameters: Record<string, boolean | number | string> = {};
  while (rest !== '') {
    take(/^; */, 'a parameter');
    const name = take(NAME, "a parameter's name");
    if (rest.startsWith('=')) {
      rest = rest.slice(1);
      parameters[name] = bareItem();
    } else {
      parameters[name] = true;
    }
  }
  if (parameters.hit === true && parameters.fwd !== undefined) throw new Error(`both hit and fwd in "${field}"`);
  if (parameters.fwd !== undefined && !FORWARD_REASONS.includes(String(parameters.fwd))) {
    throw new Error(`fwd=${String(parameters.fwd)} is none of RFC 9211`);
  }
  for (const name of ['stored', 'collapsed']) {
    if (parameters[name] !== undefined && parameters.fwd === undefined)
      throw new Error(`${name} without fwd in "${field}"`);
  }
  return { cache, parameters };
};
