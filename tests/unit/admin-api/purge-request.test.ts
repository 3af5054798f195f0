import { maxHeaderSize } from 'node:http';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { paramsTag } from '../../../server/src/dependencies/tags';
import { entriesRequest, entryKeyIn, purgeEntries } from '../../../server/src/admin-api/entries';
import { explainRequest } from '../../../server/src/admin-api/explain';
import { purgeDocumentsRequest, purgeRequest, type Purgeable } from '../../../server/src/admin-api/purge';
import { numberOfRuns } from '../../number-of-runs';

const ARTICLE = 'api::article.article';
const PURGEABLE: Purgeable = new Map([
  [ARTICLE, new Set(['id', 'slug'])],
  ['api::homepage.homepage', new Set<string>()],
]);
const CACHED = [...PURGEABLE.keys()];

/** A purge of articles with these parameters. */
const withParams = (params: unknown): object => ({ contentType: ARTICLE, params });
const ofDocuments = (documents: unknown, contentType = ARTICLE) =>
  purgeDocumentsRequest({ contentType, documents }, CACHED);
/** A question about what an anonymous caller is answered. */
const explain = (more: object) => explainRequest({ as: { kind: 'anonymous' }, ...more });

/** The name, message and details of the refusal. All of them are sent to the caller. */
const refusal = (read: () => unknown): { message: string; details: unknown } => {
  try {
    read();
  } catch (error) {
    const { name, message, details } = error as { name: string; message: string; details: unknown };
    expect(name).toBe('ValidationError');
    return { message, details };
  }
  throw new Error('accepted');
};

const refused = (body: unknown) => refusal(() => purgeRequest(body, PURGEABLE));

/** Parses a body as the server does: `__proto__` is a name like any other, and 1e400 becomes Infinity. */
const json = (text: string): unknown => JSON.parse(text);

describe('a purge is refused, and told what is accepted,', () => {
  it.each<[what: string, body: unknown, message: string]>([
    ['a parameter no route has', withParams({ page: 1 }), 'expected "id", "slug"'],
    ['a parameter no route has beside one', withParams({ id: 1, page: 1 }), 'parameter "page"'],
    [
      'a parameter where routes have none',
      { contentType: 'api::homepage.homepage', params: { id: 1 } },
      'they have none',
    ],
    ['a prototype', withParams(json('{"__proto__":"x"}')), 'parameter "__proto__"'],
    ['a prototype beside a parameter', withParams(json('{"id":"1","__proto__":{"slug":"x"}}')), '"__proto__"'],
    ['a name of every object', withParams({ constructor: 'x' }), 'parameter "constructor"'],
    ['a lone surrogate', withParams({ id: '\ud800' }), 'without lone surrogates'],
    ['a lone surrogate in a name', withParams({ '\udfff': 'x' }), 'expected "id", "slug"'],
    ['a value longer than a URL', withParams({ id: 'a'.repeat(maxHeaderSize + 1) }), `${maxHeaderSize} characters`],
    ['a number that is none', withParams(json('{"id":1e400}')), 'numbers, or texts'],
    ['a list', withParams({ id: ['1'] }), 'numbers, or texts'],
    ['an object', withParams({ id: { $ne: 1 } }), 'numbers, or texts'],
    ['a wildcard that is text', { contentType: ARTICLE, wildcard: 'true' }, '{ contentType, params?, wildcard? }'],
    ['a content type that is not cached', { contentType: 'api::tag.tag' }, `expected one of "${ARTICLE}"`],
    ['a name', { contentType: 'Article' }, `did you mean "${ARTICLE}"? expected one of`],
    ['a misspelt uid', { contentType: 'api::artcle.article' }, `did you mean "${ARTICLE}"? expected one of`],
    ['an unknown field', { contentType: ARTICLE, parms: { id: 1 } }, '{ contentType, params?, wildcard? }'],
    ['a content type named like a prototype', { contentType: '__proto__' }, `expected one of "${ARTICLE}"`],
  ])('%s', (_what, body, message) => {
    const { message: told, details } = refused(body);
    expect(told + JSON.stringify(details)).toContain(message);
  });

  it.each<unknown>([
    undefined,
    {},
    [{ contentType: ARTICLE }],
    { params: { id: '1' } },
    { contentType: 7 },
    { contentType: 'constructor' },
    withParams('id=1'),
    withParams({ id: true }),
    { contentType: ARTICLE, wildcard: 1 },
    { contentType: ARTICLE, constructor: 'x' },
  ])('where it has not the form: %j', (body) => {
    expect(refused(body).message.length).toBeGreaterThan(0);
  });

  it('in an answer of bounded length, whatever was sent', () => {
    const long = 'x'.repeat(500_000);
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`${index}${'y'.repeat(200)}`, {}]));
    for (const body of [
      { contentType: long },
      withParams({ [long]: 1 }),
      withParams({ id: long }),
      withParams(many),
      { contentType: ARTICLE, ...many },
      { contentType: ARTICLE, [long]: 1 },
    ]) {
      expect(JSON.stringify(refused(body)).length).toBeLessThan(8000);
    }
  });
});

describe('a purge is accepted', () => {
  it.each<[what: string, body: object, params: unknown]>([
    ['of everything', { contentType: ARTICLE }, undefined],
    ['with no params', withParams({}), {}],
    ['with the longest value', withParams({ id: 'a'.repeat(maxHeaderSize) }), { id: 'a'.repeat(maxHeaderSize) }],
    ['with whatever a URL holds', withParams({ id: 'é\n%&=', slug: '😀' }), { id: 'é\n%&=', slug: '😀' }],
    ['with numbers', withParams({ id: 1.5 }), { id: 1.5 }],
    ['with params that a wildcard makes meaningless', { ...withParams({ page: {} }), wildcard: true }, undefined],
  ])('%s', (_what, body, params) => {
    expect(purgeRequest(body, PURGEABLE)).toEqual({ contentType: ARTICLE, params });
  });
});

it('no body of any kind is answered with anything but a purge or a refusal', () => {
  const body = fc.oneof(
    fc.anything(),
    fc.record(
      { contentType: fc.oneof(fc.constant(ARTICLE), fc.string()), params: fc.anything(), wildcard: fc.anything() },
      { requiredKeys: [] },
    ),
    fc.record({
      contentType: fc.constant(ARTICLE),
      params: fc.dictionary(
        fc.constantFrom('id', 'slug', '__proto__', 'x'),
        fc.oneof(fc.string({ unit: 'binary' }), fc.anything()),
      ),
    }),
  );
  fc.assert(
    fc.property(body, (sent) => {
      let request: ReturnType<typeof purgeRequest>;
      try {
        request = purgeRequest(sent, PURGEABLE);
      } catch (error) {
        expect((error as Error).name).toBe('ValidationError');
        return;
      }
      // Every accepted request gives a short tag.
      expect(paramsTag(ARTICLE, request.params ?? {}).length).toBeLessThan(1000);
    }),
    { numRuns: numberOfRuns(2000) },
  );
});

it('two purges share a tag only if their params are the same, however long: no value is a pattern', () => {
  const long = 'a'.repeat(1000);
  const values = ['1', 1, long, `${long}a`, `${long}b`, 'sha256:x', 'é'.repeat(500), '', 'a', 'A', '*', '.*', '%', '|'];
  const purges: Array<Record<string, string | number>> = [
    ...values.map((id) => ({ id })),
    { slug: '1' },
    { id: '1', slug: 'x' },
  ];
  expect(new Set(purges.map((params) => paramsTag(ARTICLE, params))).size).toBe(purges.length - 1);
  for (const id of values) expect(paramsTag(ARTICLE, { id }).length).toBeLessThan(300);
});

describe('other bodies of admins are refused', () => {
  it.each<[what: string, read: () => unknown]>([
    ['documents without end', () => ofDocuments(Array(501).fill('a'))],
    ['no document', () => ofDocuments([])],
    ['documents of a type that is not cached', () => ofDocuments(['a'], '__proto__')],
    ['a document that no database holds', () => ofDocuments(['a\u0000'])],
    ['a document that is no text', () => ofDocuments([{ $ne: 1 }])],
    ['a document id longer than its column', () => ofDocuments(['a'.repeat(256)])],
    ['a key without end', () => entryKeyIn({ key: 'a'.repeat(3 * maxHeaderSize + 1) })],
    ['a key of lone surrogates', () => entryKeyIn({ key: '\ud800' })],
    ['a filter that there is not', () => entriesRequest({ contenttype: ARTICLE })],
    ['a search for NUL', () => entriesRequest({ search: '\u0000' })],
    ['a page of infinity', () => entriesRequest({ page: '1e400' })],
    ['a column that is none', () => entriesRequest({ sort: '__proto__:asc' })],
    ['a caller of a kind that is none', () => explain({ url: '/', as: { kind: '__proto__', id: 1 } })],
    ['a caller whose id is an object', () => explain({ url: '/', as: { kind: 'user', id: { $ne: 1 } } })],
    ['a header with a line of its own', () => explain({ url: '/', headers: { a: 'b\r\nc: d' } })],
    ['neither a URL nor an operation', () => explain({})],
    ['both a URL and an operation', () => explain({ url: '/', operation: { query: '{ a }' } })],
    ['a URL that is none', () => explain({ url: 'http://[' })],
  ])('%s', (_what, read) => {
    expect(JSON.stringify(refusal(read)).length).toBeLessThan(2000);
  });
});

it('a document id is as long as its column in the database', () => {
  expect(ofDocuments(['a'.repeat(255)]).documents).toHaveLength(1);
});

describe('a purge of entries is refused, and told where it is wrong,', () => {
  const NOTHING = {} as Parameters<typeof purgeEntries>[0];

  it.each<[what: string, body: unknown, details: object]>([
    ['without a filter', {}, { errors: [{ path: [], message: 'Expected a filter' }] }],
    [
      'with a filter of spaces, which all entries match',
      { search: ' ' },
      { errors: [{ message: 'Expected a filter' }] },
    ],
    ['with a key that is none', { keys: ['/a?&&', ''] }, { errors: [{ path: ['keys', '1'] }] }],
    ['with a search that is none', { search: 7 }, { errors: [{ path: ['search'] }] }],
    [
      'with keys and a filter',
      { keys: ['/a?&&'], search: 'a' },
      { errors: [{ message: expect.stringContaining('search') }] },
    ],
    ['with no body', undefined, { errors: [{ path: [] }] }],
  ])('%s', async (_what, body, details) => {
    const error = await purgeEntries(NOTHING, body).catch((refused: unknown) => refused);
    expect(error).toMatchObject({ name: 'ValidationError', details });
  });
});

it.each([
  '/api/tags?sort=id',
  'http://shop.test/api/tags?sort=id',
  'localhost:1337/api/tags?sort=id',
  'api/tags?sort=id',
])('Explain takes %s', (url) => {
  expect(explain({ url }).target).toBe('/api/tags?sort=id');
});
