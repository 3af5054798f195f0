import { expect, it } from 'vitest';
import { exchangeOf } from '../../../server/src/http/exchange';
import { shownTrace } from '../../../server/src/http/shown-traces';
import { aRoute } from '../monitor/route';
import { koaContext } from './koa-context';

const ID = '9f8b4c1e-6b7a-4a44-9b0e-2d6f1f0c7a11';

/** The reason where a function in front has read `x-request-id`. */
const reasonOf = (sent: string | undefined, body: string, header = '', ignoreHeaders: readonly string[] = []) => {
  const ctx = koaContext('/', sent === undefined ? {} : { 'x-request-id': sent });
  exchangeOf(ctx).readsInFront = new Map([['x-request-id', 'global::log']]);
  const { keys } = aRoute();
  const route = { keys: { ...keys, ignoreHeaders } };
  return shownTrace(ctx, Buffer.from(body), { headers: [['X-Shown', header]] }, route)?.code;
};

it.each([
  ['in the body', ID, `{"id":"${ID}"}`, ''],
  ['in a header', ID, '{}', `id=${ID}`],
  ['in part', ID, '{"id":"2d6f1f0c7a11"}', ''],
  ['in another case', ID.toUpperCase(), `{"id":"${ID}"}`, ''],
  ['escaped, possibly', '<b>evil</b>', '{"id":"&lt;b&gt;evil"}', ''],
  ['as a text that may occur by chance', '1', '{}', ''],
])('a tracing header that is shown %s keeps a response from being stored', (_how, sent, body, header) => {
  expect(reasonOf(sent, body, header)).toBe('reads');
});

it('a tracing header that code in front has changed counts only if one of its values is shown', () => {
  const MADE = '0f47ac10b58cc4372a5670e02b2c3d47';
  const ctx = koaContext('/', { 'x-request-id': MADE });
  ctx.req.rawHeaders = ['X-Request-Id', ID];
  exchangeOf(ctx).readsInFront = new Map([['x-request-id', 'global::trace']]);
  const shown = (body: string) => shownTrace(ctx, Buffer.from(body), { headers: [] }, aRoute())?.code;
  expect(['{"id":1}', MADE, ID].map(shown)).toEqual([undefined, 'reads', 'reads']);
});

it.each([
  ['not shown', ID, '{"id":"2d6f"}', []],
  ['not sent', undefined, '{}', []],
  ['said not to matter', ID, `{"id":"${ID}"}`, ['x-request-id']],
  ['among all that are said not to matter', ID, `{"id":"${ID}"}`, ['*']],
])('a tracing header keeps no response from being stored where it is %s', (_which, sent, body, ignored) => {
  expect(reasonOf(sent, body, '', ignored)).toBeUndefined();
});
