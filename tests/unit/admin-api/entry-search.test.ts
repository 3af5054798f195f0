import type { Core } from '@strapi/strapi';
import qs from 'qs';
import { expect, it } from 'vitest';
import { keySearch } from '../../../server/src/admin-api/entry-search';
import { requestOf } from '../../../server/src/cache/key';
import type { CacheKey } from '../../../server/src/cache/key';

const request = {
  get query() {
    return qs.parse((this as unknown as { req: { url: string } }).req.url.split('?')[1] ?? '', { arrayLimit: 100 });
  },
};
const strapi = { server: { app: { request } } } as unknown as Core.Strapi;

const PAGE = '/api/articles?pagination[page]=2&populate=category&sort=title';
const SORTED = '/api/articles?sort=title';
const CAFE = '/api/articles?filters[title][$contains]=Caf%C3%A9%20au%20lait';
const LISTS = '/api/articles?populate[0]=author&populate[1]=category';

const KEYS = [
  '/api/articles?&&',
  `${PAGE}&&up:public`,
  `${SORTED}&&`,
  `${CAFE}&&`,
  `${LISTS}&&`,
  '/api/articles/abc?&&token:1:custom',
  '/api/probe?language=en&sort=title&&',
  '/api/pages?populate=*&&',
  '/api/pages?populate=author&&',
  '/api/tags?language=en&populate=*&&',
  '/api/tags?language=en&populate=author&&',
] as CacheKey[];

const found = (written: string): string[] => {
  const rankOf = keySearch(strapi, written);
  const best = Math.max(1, ...KEYS.map(rankOf));
  return KEYS.filter((key) => rankOf(key) === best).map(requestOf);
};

it.each([
  ['with a host', 'https://site.example/api/articles?sort=title', SORTED],
  ['with its parameters in another order', '/api/articles?sort=title&populate=category&pagination[page]=2', PAGE],
  ['encoded', '/api/articles?pagination%5Bpage%5D=2&sort=title&populate=category', PAGE],
  ['with encoded values', '/api/articles?filters[title][$contains]=Caf%C3%A9+au+lait', CAFE],
  ['with plain values', '/api/articles?filters[title][$contains]=Café au lait#top', CAFE],
  ['with lists', '/api/articles?populate=author&populate=category', LISTS],
  ['with a parameter that does not count', '/api/articles?sort=title&utm_source=x', SORTED],
  ['to which a middleware has added', '/api/probe?sort=title', '/api/probe?language=en&sort=title'],
  ['with a slash at its end', '/api/articles/?sort=title', SORTED],
])('a URL %s finds its entry', (_how, written, entry) => {
  expect(found(written)).toEqual([entry]);
});

it('a path that ends in a star finds what begins so', () => {
  expect(found('/api/articles/*')).toEqual(['/api/articles/abc']);
  expect(found('https://site.example/api/art*')).toHaveLength(6);
  expect(found('/API/probe*')).toEqual(['/api/probe?language=en&sort=title']);
  expect(found('/articles*')).toEqual([]);
});

it.each([
  ['/api/articles?sort=t*', [PAGE, SORTED]],
  ['/api/articles?sort=*', [PAGE, SORTED]],
  ['/api/articles?sort=title&pag*', [PAGE]],
  ['/api/articles?filters[title][$contains]=caf*', [CAFE]],
  ['https://site.example/api/articles?filters%5Btitle%5D%5B%24contains%5D=Caf%C3%A9+a*', [CAFE]],
  ['/api/articles?sort=x*', []],
  ['/api/probe?sort=t*', ['/api/probe?language=en&sort=title']],
  ['/api/pages?populate=*', ['/api/pages?populate=*']],
  ['/api/pages?populate=*&utm_source=x', ['/api/pages?populate=*']],
  ['/api/pages?utm_source=x&populate=*', ['/api/pages?populate=*']],
  ['/api/tags?populate=*', ['/api/tags?language=en&populate=*']],
])('a query that ends in a star finds what begins so, unless the star is meant: %s', (written, requests) => {
  expect(found(written)).toEqual(requests);
});

it('a path finds every entry of it, and a part of a key whatever holds it', () => {
  expect(found('/api/articles')).toHaveLength(6);
  expect(found('up:public')).toHaveLength(1);
  expect(found('Populate%3Dcategory')).toHaveLength(1);
  expect(found('CAFÉ AU')).toHaveLength(1);
  expect(found('%')).toHaveLength(0);
  expect(found('nothing of it')).toEqual([]);
});
