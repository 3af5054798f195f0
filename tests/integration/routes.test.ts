import { beforeAll, describe, expect, it } from 'vitest';
import { logIn, type AdminSession } from '../application/admin-session';
import { grant, logInCustomer } from '../application/callers';
import { probeApi } from '../application/probe';
import type { EntryPage } from '../../server/src/admin-api/entries';
import { runningApplication } from './running-application';

/** Routes may be any content-API GET route. */

const echo = (ctx: { params: Record<string, string> }): object => ({ params: ctx.params, at: Math.random() });

const probe = probeApi([
  { path: '/probe/slug/:slug+', handler: echo },
  { path: '/probe/number/:number(\\d+)', handler: echo },
  { path: '/probe/optional/:one/:two?', handler: echo },
  { path: '/probe/pair/:owner-:name', handler: echo },
  { path: '/elsewhere/:id', handler: echo, config: { auth: false, prefix: '' } },
  { path: '/probe/unlisted', handler: echo },
]);

const listed = [
  '/probe/slug/:slug+',
  '/probe/number/:number(\\d+)',
  '/probe/optional/:one/:two?',
  '/probe/pair/:owner-:name',
];

const prefix = '/content/v1';

describe('with another api.rest.prefix', () => {
  const application = runningApplication(
    {
      ...probe.files,
      'config/api.js': `module.exports = { rest: { prefix: '${prefix}', defaultLimit: 25, maxLimit: 100, withCount: true } };`,
    },
    {
      contentTypes: [
        {
          contentType: 'api::article.article',
          routes: [
            `${prefix}/articles/by-slug/:slug`,
            // It is found without the prefix as well.
            '/reports/editorial',
            ...listed.map((path) => ({ path: prefix + path })),
            `${prefix}/elsewhere/:id`,
            { path: `${prefix}/articles/:id`, maxAge: 5000, paramNames: ['document'] },
          ],
        },
        {
          contentType: 'api::category.category',
          injectDefaultRoutes: false,
          routes: [`${prefix}/reports/categories`],
        },
        'api::writer.editor',
        'api::homepage.homepage',
        { contentType: 'plugin::upload.file', routes: [`${prefix}/upload/files`] },
        {
          contentType: 'plugin::users-permissions.user',
          hitpass: false,
          keys: { useAuth: true },
          routes: [`${prefix}/users`, `${prefix}/users/me`],
        },
      ],
    },
  );
  let admin: AdminSession;
  beforeAll(async () => {
    admin = await logIn(application);
  });

  const outcomes = async (path: string, headers: Record<string, string> = {}): Promise<Array<string | null>> => {
    const seen: Array<string | null> = [];
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const { status, cache } = await application.get(prefix + path, headers);
      expect([path, status]).toEqual([path, 200]);
      seen.push(cache);
    }
    return seen;
  };

  const STORED = ['MISS', 'HIT', 'HIT'];
  const NOT_CACHED = [null, null, null];

  it.each([
    ['a default collection route', '/articles'],
    ['a default single type route', '/homepage'],
    ['core routes of a type in an API of another name', '/editors'],
    ['a custom route written without the prefix', '/reports/editorial'],
    ['a custom route of another API', '/reports/categories'],
    ['a repeatable parameter', '/probe/slug/a/b/c'],
    ['a parameter with a pattern', '/probe/number/42'],
    ['an optional parameter, absent', '/probe/optional/1'],
    ['an optional parameter, present', '/probe/optional/1/2'],
    ['two parameters in one segment', '/probe/pair/ada-lovelace'],
    ['a route with a prefix of its own', '/elsewhere/1'],
    ['a plugin route', '/upload/files'],
  ])('%s is cached', async (_what, path) => {
    expect(await outcomes(path)).toEqual(STORED);
  });

  it('plugin routes of users-permissions, one entry per caller', async () => {
    await grant(application, 'authenticated', 'plugin::users-permissions.user.find');
    const { headers } = await logInCustomer(application, 'alice');
    expect(await outcomes('/users', headers)).toEqual(STORED);
    expect(await outcomes('/users/me', headers)).toEqual(STORED);
  });

  it('what is not listed is not cached', async () => {
    expect(await outcomes('/probe/unlisted')).toEqual(NOT_CACHED);
    for (const path of ['/tags', '/categories']) expect(await outcomes(path)).toEqual(NOT_CACHED);
  });

  it('a route’s own maxAge and paramNames hold: purged by the name given', async () => {
    const { data } = JSON.parse((await application.get(`${prefix}/articles?pagination[pageSize]=1`)).body) as {
      data: [{ documentId: string }];
    };
    const id = data[0].documentId;
    expect(await outcomes(`/articles/${id}`)).toEqual(STORED);
    await admin.post('/rest-cache/purge', { contentType: 'api::article.article', params: { slug: id } });
    expect((await application.get(`${prefix}/articles/${id}`)).cache).toBe('HIT');
    await admin.post('/rest-cache/purge', { contentType: 'api::article.article', params: { document: id } });
    expect((await application.get(`${prefix}/articles/${id}`)).cache).toBe('MISS');
    const { body } = await admin.get<EntryPage>(`/rest-cache/entries?search=${id}`);
    expect(body.results[0]?.timeToLive).toBeLessThanOrEqual(5000);
  });

  it('all repeatable values purge as one text', async () => {
    await outcomes('/probe/slug/p/q');
    await admin.post('/rest-cache/purge', { contentType: 'api::article.article', params: { slug: 'p/q' } });
    expect((await application.get(`${prefix}/probe/slug/p/q`)).cache).toBe('MISS');
  });
});
