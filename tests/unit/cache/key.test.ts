import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  cacheKey,
  type CacheKey,
  type KeyParts,
  parametersIn,
  type VariantField,
  variantInWords,
  variantKey,
} from '../../../server/src/cache/key';
import { numberOfRuns } from '../../number-of-runs';

const key = (parts: Partial<KeyParts>): string =>
  cacheKey({ path: '/api/tags', query: {}, headers: [], identity: '', ...parts });

describe('the shape <path>?<query>&<headers>&<identity>', () => {
  it.each<[string, Partial<KeyParts>, string]>([
    ['nothing but a path', {}, '/api/tags?&&'],
    ['an identity', { identity: 'up:7' }, '/api/tags?&&up:7'],
    ['a token', { identity: 'token:3:read-only' }, '/api/tags?&&token:3:read-only'],
    ['a strategy with a strange name', { identity: 'strategy:a&b?c%' }, '/api/tags?&&strategy:a%26b%3Fc%25'],
    [
      'headers',
      {
        headers: [
          ['x-a', '1'],
          ['x-b', 'ü,=&'],
        ],
      },
      '/api/tags?&x-a=1,x-b=%C3%BC%2C%3D%26&',
    ],
    ['query parameters, sorted', { query: { b: '2', a: '1' } }, '/api/tags?a=1&b=2&&'],
    ['null', { query: { b: null } }, '/api/tags?b&&'],
    ['the empty string', { query: { b: '' } }, '/api/tags?b=&&'],
    ['nothing', { query: { b: undefined } }, '/api/tags?&&'],
    ['a list', { query: { a: ['x', 'y'] } }, '/api/tags?a[0]=x&a[1]=y&&'],
    ['an object', { query: { filters: { name: { $eq: 'x' } } } }, '/api/tags?filters[name][%24eq]=x&&'],
    ['a number', { query: { a: 1 } }, '/api/tags?a:number=1&&'],
    ['empty containers', { query: { a: [], b: {} } }, '/api/tags?a:array&b:object&&'],
  ])('%s', (_what, parts, expected) => {
    expect(key(parts)).toBe(expected);
  });
});

/** Characters with a meaning in keys, and some without. */
const text = fc
  .array(fc.constantFrom(...'ab01&=?[]:,%/ .$ü', '😀', '\ud800'), { maxLength: 3 })
  .map((characters) => characters.join(''));

/** Values as the query parser makes them, and values that a middleware may have set. */
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    text,
    fc.constantFrom(null, undefined, true, false, 0, 1, 'true', '1', 'null', ''),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(text, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
}));

const query = fc.dictionary(fc.oneof(fc.constantFrom('sort', 'populate', 'filters'), text), value, {
  maxKeys: 3,
  noNullPrototype: true,
});

const parts: fc.Arbitrary<KeyParts> = fc.record({
  path: text.map((path) => `/${path.replace(/[?&]/g, '')}`),
  query,
  headers: fc.uniqueArray(fc.tuple(fc.constantFrom('x-a', 'x-b', 'accept-language'), text), {
    selector: ([name]) => name,
    maxLength: 2,
  }),
  identity: fc.oneof(fc.constantFrom('', 'up:public', 'up:1', 'token:1:custom'), text),
});

/** The specification of the key: everything that distinguishes requests, in a form that is equal for equal parts. */
const told = ({ path, query, headers, identity }: KeyParts): string =>
  JSON.stringify([path, entriesOf(query).sort(([one], [other]) => (one < other ? -1 : 1)), headers, identity]);

const entriesOf = (object: object): Array<[name: string, value: unknown]> =>
  Object.entries(object)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, canonical(value)]);

const canonical = (value: unknown): unknown => {
  if (Array.isArray(value))
    return ['array', ...value.map((item) => (item === undefined ? ['nothing'] : canonical(item)))];
  if (typeof value === 'object' && value !== null) return ['object', ...entriesOf(value)];
  return [typeof value, value];
};

describe('values that look alike stay apart', () => {
  it.each([
    ['a list and an object with its indexes', { a: ['x'] }, { a: { 0: 'x' } }],
    ['an object whose keys begin with digits, and a list', { a: { '1x': 'y' } }, { a: { 1: 'xy' } }],
    ['a number and its digits', { a: 1 }, { a: '1' }],
    ['a boolean and its name', { a: true }, { a: 'true' }],
    ['null, the empty string and nothing', { a: null }, { a: '' }],
    ['an object that holds nothing, and nothing', { a: { b: undefined } }, {}],
    ['a list that holds nothing, and an empty one', { a: [undefined] }, { a: [] }],
    ['an empty name, and none', { '': null }, {}],
    ['a bracket in a name, and a step', { 'a[b]': 'x' }, { a: { b: 'x' } }],
    ['sets', { a: new Set([1]) }, { a: new Set([2]) }],
    ['maps', { a: new Map([[1, 1]]) }, { a: new Map([[1, 2]]) }],
    ['expressions', { a: { $matches: /x/ } }, { a: { $matches: /y/ } }],
    ['a date and its text', { a: new Date(0) }, { a: '1970-01-01T00:00:00.000Z' }],
  ])('%s', (_what, one, other) => {
    expect(key({ query: one })).not.toBe(key({ query: other }));
  });
});

it('what is undefined is not there', () => {
  expect(key({ query: { a: { b: undefined }, c: undefined } })).toBe(key({ query: { a: {} } }));
});

describe('variants of a key', () => {
  const variant = (...fields: VariantField[]): string => variantKey('/api/tags?a=1&x-b=2&up:7' as CacheKey, fields);

  it('are told apart inside the part for headers', () => {
    expect(variant({ name: 'origin', value: 'https://a.b' }, { name: 'x-c', digest: 'e' }, { name: 'x-d' })).toBe(
      '/api/tags?a=1&x-b=2;origin=https%3A%2F%2Fa.b,x-c:e,x-d&up:7',
    );
  });

  it('are named in words by their fields and values', () => {
    const key = variant({ name: 'accept-language', value: 'de,en' }, { name: 'x-d' }) as CacheKey;
    expect(variantInWords(key)).toBe('x-b=2, accept-language=de,en, x-d');
    expect(variantInWords('/api/tags?a=;&&up:7' as CacheKey)).toBe('');
  });

  it('show everything but path, query and caller: headers of the key, what a client asked for, an operation', () => {
    const inWords = (...headers: ReadonlyArray<readonly [string, string]>): string =>
      variantInWords(variantKey(cacheKey({ path: '/api/tags', query: { a: ';' }, headers, identity: 'up:7' }), []));
    expect(inWords(['x-b', '2'], [':url', '/acme/api/tags?a,b'])).toBe('x-b=2, url=/acme/api/tags?a,b');
    expect(inWords([':document', '0123456789abcdef'.repeat(4)])).toBe('document=01234567…');
    expect(inWords([':operation', 'a\ud800'])).toBe('operation=a%ud800');
  });

  it('of different keys, by different fields or values are different', () => {
    const fields = fc.uniqueArray(
      fc.record({ name: fc.constantFrom('a', 'b', 'accept'), value: fc.option(text, { nil: undefined }) }),
      { selector: ({ name }) => name, minLength: 1 },
    );
    const made = (one: KeyParts, by: ReadonlyArray<{ name: string; value: string | undefined }>): string =>
      variantKey(
        cacheKey(one),
        by.map(({ name, value: sent }) => (sent === undefined ? { name } : { name, value: sent })),
      );
    const toldApart = (one: KeyParts, by: ReadonlyArray<{ name: string; value: string | undefined }>): string =>
      JSON.stringify([told(one), by.map(({ name, value: sent }) => [name, sent ?? null])]);
    fc.assert(
      fc.property(parts, fields, parts, fields, fc.boolean(), (one, by, other, byOthers, isSameKey) => {
        const second = isSameKey ? one : other;
        expect(made(one, by) === made(second, byOthers)).toBe(toldApart(one, by) === toldApart(second, byOthers));
        expect(made(one, by)).not.toBe(cacheKey(second));
      }),
      { numRuns: numberOfRuns(10_000) },
    );
  });
});

describe('properties', () => {
  it('different parts never make the same key (injective), equal parts always do', () => {
    fc.assert(
      fc.property(parts, parts, (one, other) => {
        expect(cacheKey(one) === cacheKey(other)).toBe(told(one) === told(other));
      }),
      { numRuns: numberOfRuns(20_000) },
    );
  });

  it('one change to one part makes another key', () => {
    fc.assert(
      fc.property(parts, query, text, (one, otherQuery, otherText) => {
        for (const other of [
          { ...one, query: otherQuery },
          { ...one, identity: otherText },
          { ...one, path: `/${otherText.replace(/[?&]/g, '')}` },
        ]) {
          expect(cacheKey(one) === cacheKey(other)).toBe(told(one) === told(other));
        }
      }),
      { numRuns: numberOfRuns(10_000) },
    );
  });

  it('the order of parameters does not matter, but the order within one does', () => {
    fc.assert(
      fc.property(fc.dictionary(text, value, { maxKeys: 4, noNullPrototype: true }), (written) => {
        const reversed = Object.fromEntries(Object.entries(written).reverse());
        expect(key({ query: reversed })).toBe(key({ query: written }));
      }),
    );
    expect(key({ query: { sort: { a: 'asc', b: 'asc' } } })).not.toBe(key({ query: { sort: { b: 'asc', a: 'asc' } } }));
    expect(key({ query: { facets: { a: '1', b: '2' } } })).not.toBe(key({ query: { facets: { b: '2', a: '1' } } }));
  });

  it('the last two ampersands always delimit headers and identity', () => {
    fc.assert(
      fc.property(parts, (one) => {
        const made = cacheKey(one);
        const identity = made.slice(made.lastIndexOf('&') + 1);
        const rest = made.slice(0, made.lastIndexOf('&'));
        const headers = rest.slice(rest.lastIndexOf('&') + 1);
        expect(identity).toBe(cacheKey({ ...one, path: '/', query: {}, headers: [] }).slice('/?&&'.length));
        expect(headers.split(',').filter((part) => part !== '')).toHaveLength(one.headers.length);
        expect(made.startsWith(`${one.path}?`)).toBe(true);
      }),
    );
  });
});

describe('the parameters that a key names', () => {
  it.each([
    ['page', 'page'],
    ['a b=[c]:d&e?%', 'a b=[c]:d&e?%'],
    ['größe', 'größe'],
    // It has no UTF-8 form that could be decoded.
    ['lone \ud800', 'lone %ud800'],
  ])('%j is one of them, whatever its value', (name, shown) => {
    for (const value of ['', 'x', 1, null, [], ['x'], {}, { $eq: 'x' }]) {
      const made = cacheKey({ path: '/api/tags', query: { [name]: value, other: 'y' }, headers: [], identity: '' });
      const parameters = parametersIn(made);
      expect(parameters.names.toSorted()).toEqual(['other', shown].toSorted());
      expect(parameters.without([shown])).toBe('/api/tags?other=y&&');
    }
  });
});
