import { beforeAll, expect, it } from 'vitest';
import type { EntryPage, Explanation, KnownCallers, Metrics } from '../../../admin/src/api/responses';
import { logIn, type AdminSession } from '../../application/admin-session';
import { grant } from '../../application/callers';
import { probeApi } from '../../application/probe';
import { middlewares } from '../../application/stack';
import type { Questions } from './questions';

/**
 * Explain sends a request of its own, which belongs to no client, through the application's own stack, up to the route
 * lane.
 */

const seen: Array<Record<string, unknown>> = [];
(globalThis as Record<symbol, unknown>)[Symbol.for('rest-cache-explain-asks')] = seen;
const NOTE = "globalThis[Symbol.for('rest-cache-explain-asks')].push";

const middleware = (text: string): string =>
  `module.exports = (_config, { strapi }) => async (ctx, next) => { ${text} };`;

const files = {
  ...middlewares(['global::language'], 'strapi::public'),
  'src/middlewares/language.js': middleware(
    `if (ctx.path === '/api/teapot') { ctx.status = 418; ctx.body = 'short and stout'; return; }
     if (ctx.path.startsWith('/api/probe/asked')) ctx.query = { ...ctx.query, language: 'en' };
     return next();`,
  ),
  'src/middlewares/populate-asked.js': middleware(
    `${NOTE}({ user: ctx.state.user }); ctx.query = { ...ctx.query, populate: 'author' };
     await next();
     ctx.body.by = 'whoever expects a body';`,
  ),
  'src/middlewares/reader.js': middleware(
    `if (ctx.query.act) await strapi.db.query('api::tag.tag').count(); return next();`,
  ),
  'src/middlewares/titled.js': middleware(`await next(); ctx.set('X-At', String(ctx.body.at));`),
  'src/policies/nobody.js': 'module.exports = () => false;',
};

const handler = (): object => ({ at: Math.random() });
const OPEN = { auth: false };
const probe = probeApi([
  { path: '/probe/asked/populated', handler, config: { ...OPEN, middlewares: ['global::populate-asked'] } },
  { path: '/probe/asked/refused', handler, config: { ...OPEN, policies: ['global::nobody'] } },
  { path: '/probe/asked/repeatable', handler, config: { ...OPEN, middlewares: ['global::reader'] } },
  { path: '/probe/asked/titled', handler, config: { ...OPEN, middlewares: ['global::titled'] } },
  { path: '/probe/asked/not-cached', handler, config: OPEN },
  { path: '/probe/asked/for-users', handler, config: { middlewares: ['global::populate-asked'] } },
]);

export const explainAsks: Questions = {
  about: 'what Explain finds out with a request of its own',
  files: { ...files, ...probe.files },
  contentTypes: [
    {
      contentType: 'api::article.article',
      routes: [
        '/api/probe/asked/populated',
        '/api/probe/asked/refused',
        { path: '/api/probe/asked/repeatable', repeatable: true },
        { path: '/api/probe/asked/titled', repeatable: true },
      ],
    },
    {
      contentType: 'api::order.order',
      hitpass: false,
      keys: { useAuth: true },
      routes: ['/api/probe/asked/for-users'],
    },
  ],
  ask: (application) => {
    let admin: AdminSession;
    beforeAll(async () => {
      admin = await logIn(application);
      await grant(application, 'authenticated', probe.action('/probe/asked/for-users'));
    });

    const explain = async (
      url: string,
      as: unknown = { kind: 'anonymous' },
      headers: Record<string, string> = {},
    ): Promise<Explanation> => (await admin.post<Explanation>('/rest-cache/explain', { url, as, headers })).body;
    const keys = async (): Promise<string[]> =>
      (await admin.get<EntryPage>('/rest-cache/entries')).body.results.map(({ key }) => key);

    it('knows the key that the application’s own middlewares make, before and after it is asked for', async () => {
      let calls = probe.calls('/probe/asked/populated');
      const before = await explain('/api/probe/asked/populated?sort=title');
      expect(before).toMatchObject({ verdict: 'miss', reason: { code: 'never-asked' } });
      expect(await keys()).not.toContain(before.key);
      expect(probe.calls('/probe/asked/populated')).toBe(calls);
      expect((await application.get('/api/probe/asked/populated?sort=title')).cache).toBe('MISS');
      expect(await keys()).toContain(before.key);
      calls = probe.calls('/probe/asked/populated');
      const after = await explain('/api/probe/asked/populated?sort=title');
      expect(after).toMatchObject({ verdict: 'hit', key: before.key, lane: { mode: 'route' } });
      expect(after.key).toContain('language=en');
      expect(after.key).toContain('populate=author');
      expect(after.lane?.blockedBy?.text).toContain('its middleware global::populate-asked');
      expect(probe.calls('/probe/asked/populated')).toBe(calls);
    });

    it('says who answers before the cache is asked', async () => {
      expect(await explain('/api/probe/asked/refused')).toMatchObject({
        verdict: 'outside',
        reason: {
          code: 'answered-before',
          by: { text: 'its policy global::nobody' },
          status: 403,
          detail: 'Policy Failed',
        },
        route: { path: '/api/probe/asked/refused' },
      });
      expect(await explain('/api/teapot')).toMatchObject({
        verdict: 'outside',
        reason: { code: 'answered-before', by: { text: 'global::language' }, status: 418, detail: "I'm a Teapot" },
        route: null,
      });
    });

    it('asks as a user with the row that Strapi’s own strategy would find', async () => {
      const { body: callers } = await admin.get<KnownCallers>('/rest-cache/explain/callers?search=ali');
      const id = callers.users[0]?.id;
      expect(await explain('/api/probe/asked/for-users', { kind: 'user', id })).toMatchObject({
        verdict: 'miss',
        identity: `up:${id}`,
      });
      expect(await explain('/api/probe/asked/for-users')).toMatchObject({
        verdict: 'outside',
        reason: { code: 'forbidden' },
      });
      expect(seen.at(-1)?.user).toMatchObject({ id, username: 'alice', role: { type: 'authenticated' } });
    });

    it.each([
      ['is blocked', { blocked: true }, false],
      ['is not confirmed', { confirmed: false }, true],
    ])('a user who %s is answered 401, as Strapi would', async (_what, data, wantsConfirmation) => {
      const { strapi } = application;
      const { body: callers } = await admin.get<KnownCallers>('/rest-cache/explain/callers?search=ali');
      const id = callers.users[0]?.id;
      const store = strapi.store({ type: 'plugin', name: 'users-permissions', key: 'advanced' });
      const settings = (await store.get({})) as object;
      const users = strapi.db.query('plugin::users-permissions.user');
      const before = (await users.findOne({ where: { id } })) as { blocked: boolean; confirmed: boolean };
      await store.set({ value: { ...settings, email_confirmation: wantsConfirmation } });
      await users.update({ where: { id }, data });
      expect(await explain('/api/probe/asked/for-users', { kind: 'user', id })).toMatchObject({
        verdict: 'outside',
        reason: { code: 'unauthorized' },
      });
      await users.update({ where: { id }, data: { blocked: before.blocked, confirmed: before.confirmed } });
      await store.set({ value: settings });
    });

    it('runs no handler, counts, stores and logs nothing', async () => {
      const totals = async (): Promise<unknown> =>
        (await admin.get<Metrics>('/rest-cache/metrics')).body.periods.hour.totals;
      const targets = ['populated', 'refused', 'repeatable', 'not-cached', 'for-users', 'no-route'];
      const calls = (): number[] =>
        targets.map((name) => (name === 'no-route' ? 0 : probe.calls(`/probe/asked/${name}`)));
      const before = [await totals(), await keys(), calls(), [...application.logs]];
      for (const name of targets) await explain(`/api/probe/asked/${name}?nothing=of-it`);
      expect([await totals(), await keys(), calls(), application.logs]).toEqual(before);
    });

    it('knows when the word repeatable is taken back, and takes it from no function itself', async () => {
      const target = '/api/probe/asked/repeatable';
      const mode = 'front';
      expect(await explain(`${target}?act=1`)).toMatchObject({ verdict: 'miss', lane: { mode } });
      expect((await explain(target)).lane?.mode).toBe(mode);
      await application.get(`${target}?act=1`);
      const explanation = await explain(target);
      expect(explanation.lane?.mode).toBe('route');
      expect(explanation.lane).toMatchObject({
        blockedBy: { text: 'its middleware global::reader' },
        advice: { text: expect.stringContaining('not treated as repeatable') },
      });
    });

    it('takes the word from no function that fails without an answer, whoever it asks as', async () => {
      const target = '/api/probe/asked/titled';
      const mode = 'front';
      await explain(target);
      await explain(target, { kind: 'anonymous' }, { authorization: 'Bearer of-somebody' });
      expect((await explain(target)).lane?.mode).toBe(mode);
      expect(application.warnings.filter((line) => line.includes(target))).toEqual([]);
    });
  },
};
