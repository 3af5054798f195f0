import { describe, expect, it } from 'vitest';
import { cacheStore } from '../../application/cache-store';
import { logInCustomer } from '../../application/callers';
import { rawRequest } from '../../application/raw-request';
import type { Questions } from './questions';

/** "`keys` object" and "Cache key shape" of the specification. */

export const shapeOfKeys: Questions = {
  about: 'a key',
  files: {},
  contentTypes: [
    'api::article.article',
    { contentType: 'api::category.category', keys: { useHeaders: ['X-Own', 'Accept-Language'] } },
    { contentType: 'api::tag.tag', keys: {} },
    { contentType: 'api::author.author', keys: { useQueryParams: ['sort', 'populate'] } },
    { contentType: 'api::order.order', hitpass: false, keys: { useAuth: true } },
    {
      contentType: 'api::homepage.homepage',
      keys: { useHeaders: [] },
      routes: [{ path: '/api/homepage', keys: { useQueryParams: false, useAuth: true } }],
    },
  ],
  ask: (application) => {
    /** The keys of the entries that a request adds. */
    const keysOf = async (path: string, headers: Record<string, string> = {}): Promise<string[]> => {
      const store = cacheStore(application);
      await store.reset();
      const answer = await rawRequest(application, path, { headers });
      expect([answer.status, answer.headers['x-cache']]).toEqual([200, 'MISS']);
      return store.keys();
    };

    describe('the shape of a key: <path>?<query>&<headers>&<identity>', () => {
      it('without query parameters and headers, with useAuth: <path>?&&<identity>', async () => {
        const alice = await logInCustomer(application, 'alice');
        expect(await keysOf('/api/orders', alice.headers)).toEqual([`/api/orders?&&up:${alice.id}`]);
      });
    });

    describe('rule 1 and 2: keys of a content type replace the strategy’s as a whole', () => {
      it('a content type without keys uses the strategy’s', async () => {
        expect(await keysOf('/api/articles?strategy=1&sort=title', { 'x-strategy': 'a', 'x-own': 'b' })).toEqual([
          '/api/articles?strategy=1&x-strategy=a&up:public',
        ]);
      });

      it('fields left out take the built-in defaults: every query parameter, no identity', async () => {
        expect(await keysOf('/api/categories?sort=name&strategy=1', { 'x-strategy': 'a', 'x-own': 'b' })).toEqual([
          '/api/categories?sort=name&strategy=1&x-own=b&',
        ]);
      });

      it('an empty object is the built-in defaults: no headers', async () => {
        expect(await keysOf('/api/tags?strategy=1&b=2', { 'x-strategy': 'a' })).toEqual(['/api/tags?b=2&strategy=1&&']);
      });

      it('keys of a route replace its content type’s in the same way', async () => {
        expect(await keysOf('/api/homepage?populate=hero')).toEqual(['/api/homepage?&&up:public']);
      });
    });

    describe('useQueryParams', () => {
      it('a list is an allow-list', async () => {
        expect(await keysOf('/api/authors?utm_source=x&sort=name&populate[avatar]=true')).toEqual([
          '/api/authors?populate[avatar]=true&sort=name&&',
        ]);
        expect((await application.get('/api/authors?sort=name&populate[avatar]=true&utm_source=y')).cache).toBe('HIT');
        expect((await application.get('/api/authors?sort=name:desc&populate[avatar]=true')).cache).toBe('MISS');
      });
    });

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

      it('the encoding of a parameter in the path', async () => {
        const [tag] = (
          JSON.parse((await application.get('/api/tags?first')).body) as { data: [{ documentId: string }] }
        ).data;
        const encoded = `%${tag.documentId.charCodeAt(0).toString(16)}${tag.documentId.slice(1)}`;
        expect(await keysOf(`/api/tags/${tag.documentId}`)).toEqual(await keysOf(`/api/tags/${encoded}`));
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
