import { describe, expect, it } from 'vitest';
import { cacheStore } from '../../application/cache-store';
import { rawRequest } from '../../application/raw-request';
import type { Questions } from './questions';

/**
 * "Cache key shape" of the specification, for queries that Strapi parses. The rest of it: tests/unit/cache/key.test.ts,
 * request-key.test.ts in tests/unit/http. From where a route has its keys: tests/unit/config.
 */

export const shapeOfKeys: Questions = {
  about: 'a key',
  files: {},
  contentTypes: [{ contentType: 'api::tag.tag', keys: {} }],
  ask: (application) => {
    /** The keys of the entries that a request adds. */
    const keysOf = async (path: string): Promise<string[]> => {
      const store = cacheStore(application);
      await store.reset();
      const answer = await rawRequest(application, path);
      expect([answer.status, answer.headers['x-cache']]).toEqual([200, 'MISS']);
      return store.keys();
    };

    describe('spellings that Strapi itself treats alike share one entry', () => {
      it.each([
        ['the order of parameters', '/api/tags?sort=name&locale=en', '/api/tags?locale=en&sort=name'],
        ['encoded brackets', '/api/tags?filters[name][$eq]=Salt', '/api/tags?filters%5Bname%5D%5B%24eq%5D=Salt'],
        [
          'repeated parameters and brackets',
          '/api/tags?fields=name&fields=slug',
          '/api/tags?fields[]=name&fields[]=slug',
        ],
        ['numbered brackets', '/api/tags?fields=name&fields=slug', '/api/tags?fields[0]=name&fields[1]=slug'],
        ['encoded names and values', '/api/tags?sort=name&x=/?', '/api/tags?%73ort=n%61me&x=%2F%3F'],
      ])('%s', async (_what, one, other) => {
        expect(await keysOf(one)).toEqual(await keysOf(other));
      });
    });

    describe('requests whose responses differ never share an entry', () => {
      it.each([
        ['the case of a parameter’s value', '/api/tags?filters[name]=Salt', '/api/tags?filters[name]=salt'],
        ['an ampersand in a value', '/api/tags?x=1%26y=2', '/api/tags?x=1&y=2'],
        ['an equals sign in a name', '/api/tags?a%3Db=c', '/api/tags?a=b%3Dc'],
        ['the order of sorting', '/api/tags?sort[0]=name&sort[1]=slug', '/api/tags?sort[0]=slug&sort[1]=name'],
        ['a value and a list of it', '/api/tags?x=1', '/api/tags?x[]=1'],
        // Not in `ctx.query`, but in the URL, which a handler may show.
        ['a name that is not parsed, and nothing', '/api/tags?constructor=1', '/api/tags'],
        ['a name within a parameter that is not parsed', '/api/tags?y=1&x[toString]=1', '/api/tags?y=1'],
        ['an empty name and nothing', '/api/tags?=1', '/api/tags'],
        ['a fragment and none', '/api/tags?x=1#2', '/api/tags?x=1'],
      ])('%s', async (_what, one, other) => {
        expect(await keysOf(one)).not.toEqual(await keysOf(other));
      });
    });
  },
};
