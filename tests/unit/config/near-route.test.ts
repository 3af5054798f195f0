import { expect, it } from 'vitest';
import { nearRoute } from '../../../server/src/config/route-matching';

const ROUTES = [
  '/api/articles',
  '/api/articles/:id',
  '/api/categories',
  '/api/tags',
  '/api/users/me',
  '/api/upload/files',
  '/api/upload/files/:id',
].map((path) => ({ path }));

it.each([
  ['/api/article', '/api/articles'],
  ['/api/Articels/', '/api/articles'],
  ['/api/article/abc', '/api/articles/:id'],
  ['/articles', '/api/articles'],
  ['/articles/7', '/api/articles/:id'],
])('%s was probably meant to be %s', (asked, nearest) => {
  expect(nearRoute(asked, ROUTES)).toBe(nearest);
});

it.each([
  '/admin',
  '/graphql',
  '/uploads/x.png',
  '/',
  '/api',
  '/api/homepage',
  '/api/articles/7/comments',
  '/favicon.ico',
])('nothing is near %s', (asked) => {
  expect(nearRoute(asked, ROUTES)).toBeUndefined();
});
