import type { Core } from '@strapi/strapi';
import { beforeAll, describe, expect, it } from 'vitest';
import { logIn, type AdminSession } from '../../application/admin-session';
import { cacheStore } from '../../application/cache-store';
import { createApiToken, grant, logInCustomer } from '../../application/callers';
import { probeApi } from '../../application/probe';
import { outcomes, STORED } from '../outcomes';
import type { Questions } from './questions';

/** The table "Caller identity component" of the specification, row by row. */

const probe = probeApi([
  {
    path: '/probe/guarded',
    handler: (ctx) => ({
      strategy: (ctx.state as { auth?: { strategy: { name: string } } }).auth?.strategy.name,
      at: Math.random(),
    }),
    config: {},
  },
  {
    path: '/probe/for-admins',
    handler: () => ({ at: Math.random() }),
    config: { auth: { strategies: ['admin'], scope: [] } },
  },
  {
    path: '/probe/keys-of-its-own',
    handler: (ctx) => ({ for: (ctx.state as { user?: { username: string } }).user?.username ?? 'everybody' }),
    config: {},
  },
  { path: '/probe/open', handler: (ctx) => ({ by: ctx.get('authorization'), at: Math.random() }) },
]);

/**
 * Strategies of other plugins. They register them like this, in their register(), as `strategies-of-others.ts` has it
 * done in front of those of users-permissions.
 */
const register = (strapi: Core.Strapi): void => {
  strapi.get('auth').register('content-api', {
    name: 'partner-key',
    authenticate: (ctx: { request: { headers: Record<string, string> } }) =>
      ctx.request.headers['x-partner-key'] === undefined
        ? { authenticated: false }
        : { authenticated: true, credentials: { id: ctx.request.headers['x-partner-key'] } },
    verify: () => undefined,
  });
  // An admin who reads the content API, as with a plugin that previews it in the panel.
  strapi.get('auth').register('content-api', {
    name: 'admin',
    authenticate: async (ctx: { request: { headers: Record<string, string> } }) => {
      const email = ctx.request.headers['x-previewing-admin'];
      if (email === undefined) return { authenticated: false };
      const user: unknown = await strapi.db.query('admin::user').findOne({ where: { email } });
      return { authenticated: true, credentials: user };
    },
    verify: () => undefined,
  });
  strapi.get('auth').register('content-api', {
    name: 'admin-token',
    authenticate: (ctx: { request: { headers: Record<string, string> } }) => {
      const token = ctx.request.headers['x-admin-token'];
      if (token === undefined) return { authenticated: false };
      return strapi.service('admin::api-token-admin').authenticateAdminToken(token);
    },
    verify: () => undefined,
  });
};
Object.assign(globalThis, { [Symbol.for('rest-cache-tests strategies')]: register });

export const callerIdentity: Questions = {
  about: 'a caller',
  files: {
    ...probe.files,
  },
  contentTypes: [
    {
      contentType: 'api::article.article',
      hitpass: false,
      routes: probe.paths.map((path) => ({
        path,
        keys: path.endsWith('keys-of-its-own') ? { useQueryParams: ['page'] } : { useAuth: true },
      })),
    },
  ],
  ask: (application) => {
    let admin: AdminSession;
    beforeAll(async () => {
      admin = await logIn(application);
      for (const role of ['public', 'authenticated'])
        await grant(application, role, probe.action('/probe/guarded'), probe.action('/probe/keys-of-its-own'));
    });

    const identitiesOf = async (path: string): Promise<string[]> => {
      const keys = await cacheStore(application).keys();
      return keys.filter((key) => key.startsWith(`${path}?`)).map((key) => key.slice(key.lastIndexOf('&') + 1));
    };

    const path = '/api/probe/guarded';

    describe('the identity of', () => {
      it('a users-permissions user is up:<user_id>', async () => {
        const alice = await logInCustomer(application, 'alice');
        const bob = await logInCustomer(application, 'bob');
        expect(await outcomes(application, path, alice.headers)).toEqual(STORED);
        expect(await outcomes(application, path, bob.headers)).toEqual(STORED);
        expect(await identitiesOf(path)).toEqual(expect.arrayContaining([`up:${alice.id}`, `up:${bob.id}`]));
      });

      it.each([
        ['full-access', []],
        ['read-only', []],
        ['custom', ['api::article.article.find']],
      ] as const)('an API token (%s) is token:<token_id>:<token_type>', async (type, permissions) => {
        const one = await createApiToken(application, type, permissions);
        const other = await createApiToken(application, type, permissions);
        expect(await outcomes(application, '/api/articles?strategy=tokens', one.headers)).toEqual(STORED);
        expect(await outcomes(application, '/api/articles?strategy=tokens', other.headers)).toEqual(STORED);
        expect(await identitiesOf('/api/articles')).toEqual(
          expect.arrayContaining([`token:${one.id}:${type}`, `token:${other.id}:${type}`]),
        );
      });

      it('an admin user is admin:<admin_id>', async () => {
        const { body } = await admin.get<{ data: { id: number } }>('/admin/users/me');
        const headers = { 'x-previewing-admin': 'admin@example.com' };
        expect(await outcomes(application, '/api/articles?strategy=previewed', headers)).toEqual(STORED);
        expect(await identitiesOf('/api/articles')).toContain(`admin:${body.data.id}`);
      });

      it('an admin token is admin:<admin_id> of the admin who owns it', async () => {
        const { strapi } = application;
        const { body } = await admin.get<{ data: { id: number } }>('/admin/users/me');
        const owner: unknown = await strapi.db.query('admin::user').findOne({ where: { id: body.data.id } });
        const path = '/api/articles?strategy=tokens-of-admins';
        const tokens: Array<{ id: number; accessKey: string }> = [];
        // More tokens than admins, so that at least one token's id is no admin's.
        for (const name of ['one', 'two', 'three']) {
          const attributes = { name, description: '', lifespan: null, adminPermissions: [] };
          tokens.push(await strapi.service('admin::api-token-admin').create(attributes, owner));
        }
        for (const { accessKey } of tokens) {
          expect((await application.get(path, { 'x-admin-token': accessKey })).status).toBe(200);
        }
        expect(tokens.some(({ id }) => id !== body.data.id)).toBe(true);
        const identities = await identitiesOf('/api/articles');
        expect(identities).toContain(`admin:${body.data.id}`);
        expect(identities.filter((identity) => identity.startsWith('admin:'))).toEqual(
          identities.filter((identity) => identity === `admin:${body.data.id}`),
        );
        expect((await application.get(path, { 'x-admin-token': tokens[2]?.accessKey ?? '' })).cache).toBe('HIT');
      });

      it('any authentication strategy the plugin does not recognise is strategy:<strategy_name>, one entry for all its callers', async () => {
        expect(await outcomes(application, path, { 'x-partner-key': 'one' })).toEqual(STORED);
        expect(await outcomes(application, path, { 'x-partner-key': 'two' })).toEqual(['HIT', 'HIT', 'HIT']);
        expect(await identitiesOf(path)).toContain('strategy:partner-key');
      });

      it('an anonymous caller of a route with auth: false is up:public', async () => {
        expect(await outcomes(application, '/api/probe/open')).toEqual(STORED);
        expect(await identitiesOf('/api/probe/open')).toEqual(['up:public']);
      });
    });

    describe('where nobody but the handler knows who asks (auth: false)', () => {
      it('a credential is never served from, or into, the public entry', async () => {
        const path = '/api/probe/open?credential';
        await application.get(path);
        const { cache, body } = await application.get(path, { authorization: 'Bearer secret' });
        expect(body).toContain('Bearer secret');
        expect(cache).toBe('HITPASS');
        expect((await application.get(path)).body).not.toContain('Bearer secret');
      });
    });

    describe('a route whose own keys leave out the useAuth with which hitpass: false was inherited', () => {
      it('answers nobody with what a signed-in user got', async () => {
        const path = '/api/probe/keys-of-its-own';
        const alice = await logInCustomer(application, 'alice');
        for (let attempt = 0; attempt < 2; attempt += 1) {
          const { cache, body } = await application.get(path, alice.headers);
          expect([cache, body]).toEqual(['HITPASS', '{"for":"alice"}']);
        }
        for (let attempt = 0; attempt < 2; attempt += 1) {
          expect((await application.get(path)).body).toBe('{"for":"everybody"}');
        }
        expect((await application.get(path, alice.headers)).body).toBe('{"for":"alice"}');
      });
    });
  },
};
