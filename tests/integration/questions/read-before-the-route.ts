import { beforeAll, expect, it } from 'vitest';
import { createApiToken, grant, logInCustomer } from '../../application/callers';
import { Gate } from '../../application/gate';
import { probeApi, type ProbeContext } from '../../application/probe';
import { rawRequest } from '../../application/raw-request';
import type { Questions } from './questions';

/**
 * An answer depends on everything it was made from, wherever that was read: in a policy, in a middleware of the route,
 * of a router or of the whole application, or in authentication itself.
 */

const TAG = 'api::tag.tag';

/** Reads one tag, in any function in front of the handler. */
const LOAD = `const load = (strapi) => strapi.db.query('${TAG}').findOne({ where: { name: { $startsWith: 'shown' } } });`;

/** Shows what another function has left in `ctx.state`. */
const showLoaded = async ({ state }: ProbeContext): Promise<object> => ({
  name: ((await state.loaded) as { name: string } | undefined)?.name ?? null,
});

const open = { auth: false };

/** Where the policy `holding` waits after it has read. */
const handOver = Symbol.for('rest-cache-tests-policy');
const gate = new Gate();
(globalThis as Record<symbol, unknown>)[handOver] = () => gate.pass();

const probe = probeApi([
  { path: '/probe/policy', handler: showLoaded, config: { ...open, policies: ['global::loading'] } },
  { path: '/probe/held-policy', handler: showLoaded, config: { ...open, policies: ['global::holding'] } },
  { path: '/probe/policy-behind-authentication', handler: showLoaded, config: { policies: ['global::loading'] } },
  { path: '/probe/middleware', handler: showLoaded, config: { ...open, middlewares: ['global::loading'] } },
  { path: '/probe/loaded-globally', handler: showLoaded, config: open },
  { path: '/probe/loaded-globally-behind-authentication', handler: showLoaded, config: {} },
  { path: '/probe/under-way', handler: showLoaded, config: {} },
  { path: '/probe/first-of-all', handler: showLoaded, config: open },
  { path: '/probe/strategy', handler: showLoaded, config: { auth: { strategies: ['house'] } } },
  { path: '/probe/user', handler: ({ state }) => ({ name: state.user.username }), config: {} },
  { path: '/probe/user-with-more', handler: ({ state }) => ({ name: state.user.loaded.name }), config: {} },
  { path: '/probe/role', handler: ({ state }) => ({ name: state.user.role.name }), config: {} },
  { path: '/probe/token', handler: ({ state }) => ({ name: state.auth.credentials.name }), config: {} },
]);

const files = {
  ...probe.files,
  'src/policies/loading.js': `${LOAD} module.exports = async (ctx, _config, { strapi }) => { ctx.state.loaded = await load(strapi); return true; };`,
  'src/policies/holding.js': `${LOAD} module.exports = async (ctx, _config, { strapi }) => { ctx.state.loaded = await load(strapi); await globalThis[Symbol.for('rest-cache-tests-policy')](); return true; };`,
  'src/middlewares/loading.js': `${LOAD} module.exports = (_config, { strapi }) => async (ctx, next) => { ctx.state.loaded = await load(strapi); await next(); };`,
  'src/middlewares/everywhere.js': `${LOAD} module.exports = (_config, { strapi }) => async (ctx, next) => {
    if (ctx.path.includes('/probe/loaded-globally')) ctx.state.loaded = await load(strapi);
    // Its statements are sent while authentication sends its own.
    if (ctx.path.includes('/probe/under-way'))
      ctx.state.loaded = (async () => {
        for (let turn = 0; turn < 5; turn += 1) await strapi.db.query('${TAG}').count({ where: { name: 'nobody' } });
        return load(strapi);
      })();
    await next();
  };`,
  'src/index.js': `${LOAD} module.exports = {
    register({ strapi }) {
      strapi.server.app.middleware.splice(1, 0, async (ctx, next) => {
        if (ctx.path.includes('/probe/first-of-all')) ctx.state.loaded = await load(strapi);
        await next();
      });
      strapi.get('auth').register('content-api', {
        name: 'house',
        authenticate: async (ctx) => {
          ctx.state.loaded = await load(strapi);
          return { authenticated: true, credentials: { house: 1 } };
        },
        verify() {},
      });
    },
    bootstrap({ strapi }) {
      const users = strapi.plugin('users-permissions').service('user');
      const { fetchAuthenticatedUser } = users;
      users.fetchAuthenticatedUser = async (id) => ({ ...(await fetchAuthenticatedUser(id)), loaded: await load(strapi) });
    },
  };`,
};

export const readBeforeTheRoute: Questions = {
  about: 'what was read before the route',
  files,
  middlewares: ['global::everywhere'],
  contentTypes: [{ contentType: 'api::author.author', routes: probe.paths, hitpass: false, keys: { useAuth: true } }],
  ask: (application) => {
    let unique = 0;
    let tagId: number;
    beforeAll(async () => {
      const actions = probe.paths.map((path) => probe.action(path.replace('/api', '')));
      await grant(application, 'public', ...actions);
      await grant(application, 'authenticated', ...actions);
      const created = (await application.strapi.db.query(TAG).create({ data: { name: 'shown 0' } })) as { id: number };
      tagId = created.id;
    }, 300_000);

    const rename = async (): Promise<string> => {
      const name = `shown ${(unique += 1)}`;
      await application.strapi.db.query(TAG).update({ where: { id: tagId }, data: { name } });
      return name;
    };
    const ask = async (path: string, headers = {}): Promise<{ cache: unknown; name: unknown }> => {
      const { status, headers: sent, body } = await rawRequest(application, path, { headers });
      expect(status, body.toString()).toBe(200);
      return { cache: sent['x-cache'], name: (JSON.parse(body.toString()) as { name: unknown }).name };
    };
    const heat = async (path: string, headers = {}): Promise<unknown> => {
      await ask(path, headers);
      const seen = [await ask(path, headers), await ask(path, headers)];
      expect(seen.map(({ cache }) => cache)).toEqual(['HIT', 'HIT']);
      return seen[1]?.name;
    };

    it.each(probe.paths.filter((path) => !/(?:user|role|token)$/.test(path)))(
      'what %s shows was read before its handler: a change shows on the next request',
      async (path) => {
        const { headers } = path.includes('user') ? await logInCustomer(application, 'alice') : { headers: {} };
        for (let round = 0; round < 2; round += 1) {
          expect(await heat(path, headers)).toBe(`shown ${unique}`);
          const name = await rename();
          expect(await ask(path, headers)).toEqual({ cache: 'MISS', name });
        }
      },
    );

    it('the caller: a user, the name of their role, an API token', async () => {
      const { strapi } = application;
      const user = await logInCustomer(application, 'bob');
      const token = await createApiToken(application, 'full-access');
      const role = (await strapi.db
        .query('plugin::users-permissions.role')
        .findOne({ where: { type: 'authenticated' } })) as { id: number };
      for (const [path, headers, uid, id, attribute] of [
        ['/api/probe/user', user.headers, 'plugin::users-permissions.user', user.id, 'username'],
        ['/api/probe/role', user.headers, 'plugin::users-permissions.role', role.id, 'name'],
        ['/api/probe/token', token.headers, 'admin::api-token', token.id, 'name'],
      ] as const) {
        await heat(path, headers);
        const name = `renamed ${(unique += 1)}`;
        await strapi.db.query(uid).update({ where: { id }, data: { [attribute]: name } });
        expect(await ask(path, headers)).toEqual({ cache: 'MISS', name });
      }
    });

    it('permissions are in no answer: entries stay when they change', async () => {
      const { headers } = await logInCustomer(application, 'alice');
      await heat('/api/probe/user', headers);
      await heat('/api/probe/policy-behind-authentication');
      await grant(application, 'authenticated', 'api::tag.tag.find');
      await grant(application, 'public', 'api::tag.tag.findOne');
      expect((await ask('/api/probe/user', headers)).cache).toBe('HIT');
      expect((await ask('/api/probe/policy-behind-authentication')).cache).toBe('HIT');
    });

    it('a change between what a policy reads and the route is not overlooked: what was made from the earlier row is not kept', async () => {
      const before = await rename();
      gate.shut();
      const under = ask('/api/probe/held-policy');
      await gate.reached;
      const name = await rename();
      gate.open();
      expect((await under).name).toBe(before);
      expect((await ask('/api/probe/held-policy')).name).toBe(name);
    });
  },
};
