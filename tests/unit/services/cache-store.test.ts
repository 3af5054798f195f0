import type { Core } from '@strapi/strapi';
import { expect, it } from 'vitest';
import type { StoredResponse } from '../../../server/src/cache/entry';
import { milliseconds } from '../../../server/src/cache/milliseconds';
import { type RestCache, setRunning } from '../../../server/src/plugin/rest-cache';
import cacheStore from '../../../server/src/services/cache-store';
import { anEntry } from '../monitor/route';

/** What `cacheStore.get` makes of an entry with such a body. */
const got = (body: string, left: StoredResponse['left']): Promise<unknown> => {
  const strapi = {} as Core.Strapi;
  const { response, ...entry } = anEntry({});
  const found = { entry: { ...entry, response: { ...response, body: Buffer.from(body), left } } };
  const config = { provider: { getTimeout: milliseconds(1000) } };
  setRunning(strapi, { provider: { lookup: () => found }, config } as unknown as RestCache);
  return cacheStore({ strapi }).get('any');
};

it.each<[what: string, body: string, left: StoredResponse['left'], expected: unknown]>([
  ['JSON, parsed', '{"a":1}', 'json', { a: 1 }],
  ['a text', 'a', 'text', 'a'],
  ['bytes', 'a', undefined, Buffer.from('a')],
  // With `statuses`: Strapi makes the body of an error, and there is none of a redirect.
  ['null for an error that is thrown again', '{"from":"strapi","status":404,"message":"Not Found"}', 'error', null],
  ['null for a response without a body', '', 'nothing', null],
])('get(key) is the body: %s', async (_what, body, left, expected) => {
  expect(await got(body, left)).toEqual(expected);
});
