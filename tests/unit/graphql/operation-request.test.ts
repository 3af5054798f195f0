import { Sentence } from '../../../server/src/cache/sentence';
import { expect, it } from 'vitest';
import { operationRequest, type OperationRequest } from '../../../server/src/graphql/operation-request';
import { koaContext } from '../http/koa-context';

const RULES = { preflightHeaders: undefined, persistsQueries: true };
const QUERY = '{ tags { name } }';

type Read = ReturnType<typeof operationRequest>;

const posted = (url: string, body: object): Read => {
  const ctx = koaContext(url, { 'content-type': 'application/json', 'content-length': '1' }, 'POST');
  Object.assign(ctx.request, { body: { query: QUERY, ...body } });
  return operationRequest(ctx, RULES);
};

const got = (parameters: Record<string, string>): Read =>
  operationRequest(koaContext(`/graphql?${new URLSearchParams({ query: QUERY, ...parameters }).toString()}`), RULES);

it.each([
  ['no header is required', undefined, {}, true],
  ['one of the headers is sent', ['x-own', 'x-other'], { 'x-other': '1' }, true],
  ['none is sent', ['x-own'], { 'x-own': '' }, false],
  ['no header would do', [], { 'x-own': '1' }, false],
  ['no header would do, and the media type does', [], { 'content-type': 'application/json' }, true],
])('a GET that another site could send asks for nothing: %s', (_what, preflightHeaders, headers, asks) => {
  const ctx = koaContext(`/graphql?${new URLSearchParams({ query: QUERY }).toString()}`, headers);
  expect(!(operationRequest(ctx, { ...RULES, preflightHeaders }) instanceof Sentence)).toBe(asks);
});

const othersOf = (read: Read): OperationRequest['others'] | undefined =>
  read instanceof Sentence ? undefined : read.others;

it('a GET and a POST ask for the same operation', () => {
  expect(got({ variables: '{"a":1}' })).toEqual(posted('/graphql', { variables: { a: 1 } }));
});

it('no name of an operation is kept that is longer than people write', () => {
  expect(posted('/graphql', { operationName: 'a'.repeat(500) })).toMatchObject({ operationName: 'a'.repeat(500) });
  expect(posted('/graphql', { operationName: 'a'.repeat(501) })).toMatchObject({ text: 'a very long operationName' });
});

it('what a URL holds besides the operation is told apart from what a body holds', () => {
  const inUrl = [got({ tenant: 'acme' }), posted('/graphql?tenant=acme', {})].map(othersOf);
  expect(inUrl).toEqual([{ ':query': 'tenant=acme' }, { ':query': 'tenant=acme' }]);
  expect(othersOf(posted('/graphql', { tenant: 'acme' }))).toEqual({ tenant: 'acme' });
});

it.each([
  ['a body', () => posted('/graphql', { ':query': 'tenant=acme' }), undefined],
  ['a URL', () => got({ ':query': 'tenant=acme' }), { ':query': '%3Aquery=tenant%3Dacme' }],
  [
    'a prototype',
    () => got(JSON.parse('{"__proto__":"acme"}') as Record<string, string>),
    { ':query': '__proto__=acme' },
  ],
])('%s cannot spell the query of a URL', (_what, read, others) => {
  expect(othersOf(read())).toEqual(others);
});
