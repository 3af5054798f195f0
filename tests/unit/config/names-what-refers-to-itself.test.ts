import { Redis } from 'ioredis';
import { createRequire } from 'node:module';
import { expect, it, vi } from 'vitest';
import { parseConfig } from '../../../server/src/config/schema';
import { problemsOf } from './application';

/** The copy that an application has as well: unlike later ones, it makes JSON of every problem at once. */
vi.mock('zod', () => {
  const ofStrapi = createRequire(createRequire(import.meta.url).resolve('@strapi/core/package.json'));
  return ofStrapi('zod') as object;
});

const client = new Redis({ lazyConnect: true });
const itself: Record<string, unknown> = {};
itself.strategy = itself;
const list: unknown[] = [];
list.push(list);

it.each<[string, unknown, string]>([
  [
    'a connection as the provider',
    { provider: { instance: client } },
    'provider.instance is an object; expected a prov',
  ],
  ['a connection beside the options', { provider: { name: 'redis', client } }, 'provider.client is not an option'],
  ['a connection as a list', { strategy: { contentTypes: client } }, 'expected "*" or a list of content type uids'],
  ['an object in itself', { strategy: { keys: itself } }, 'strategy.keys.strategy is not an option'],
  [
    'a list in itself',
    { strategy: { contentTypes: list } },
    'strategy.contentTypes[0] is <ref *1> [ [Circular *1] ]; expected the uid',
  ],
  ['nothing', { strategy: { contentTypes: [null] } }, 'strategy.contentTypes[0] is null; expected the uid'],
  [
    'an empty uid',
    { strategy: { contentTypes: [''] } },
    'strategy.contentTypes[0].contentType is ""; expected the uid',
  ],
])('the message names %s', (_what, config, expected) => {
  expect(problemsOf(() => parseConfig(config)).join('\n')).toContain(expected);
});
