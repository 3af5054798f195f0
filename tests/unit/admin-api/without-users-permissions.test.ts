import type { Core } from '@strapi/strapi';
import { expect, it } from 'vitest';
import { memberOf, namedCallers } from '../../../server/src/admin-api/caller-names';
import { knownCallers } from '../../../server/src/admin-api/known-callers';
import { simulateCaller } from '../../../server/src/admin-api/simulated-caller';
import { Lanes } from '../../../server/src/lanes/lanes';
import type { ServedCache } from '../../../server/src/lanes/request-observer';
import { MemoryProvider } from '../../../server/src/providers/memory';
import { ManualClock } from '../../simulation/manual-clock';

/* An application without the plugin users-permissions: Strapi knows neither the plugin nor its content types. */

const token = { id: 3, name: 'Site', type: 'full-access', kind: 'content-api', expiresAt: null };
const missing = (uid: string): never => {
  throw new Error(`Model ${uid} not found`);
};
const strapi = {
  plugins: {},
  plugin: () => undefined,
  server: { app: { middleware: [] } },
  db: {
    metadata: { has: (uid: string) => uid === 'admin::api-token', get: missing },
    query: (uid: string) =>
      uid === 'admin::api-token'
        ? { findMany: () => Promise.resolve([token]), findOne: () => Promise.resolve(token) }
        : missing(uid),
  },
  contentAPI: {
    permissions: {
      engine: {
        generateAbility: (permissions: unknown[]) => Promise.resolve({ can: () => permissions.length > 0 }),
      },
    },
  },
} as unknown as Core.Strapi;

it('callers without credentials are refused wherever Strapi authenticates', async () => {
  const caller = await simulateCaller(strapi, { kind: 'anonymous' });
  expect([caller?.isRefused, caller?.mayUse({ scope: ['api::tag.tag.find'] })]).toEqual([true, false]);
});

it('there are tokens, but no users', async () => {
  expect(await simulateCaller(strapi, { kind: 'user', id: 7 })).toBeUndefined();
  expect((await simulateCaller(strapi, { kind: 'token', id: 3 }))?.mayUse({})).toBe(true);
  expect(await knownCallers(strapi, { search: 'a', user: '7' })).toEqual({
    users: [],
    tokens: [{ id: 3, name: 'Site', type: 'full-access' }],
  });
});

it('entries of users and roles that are kept from before have no name', async () => {
  expect(await namedCallers(strapi, ['up:7', 'role:1', 'token:3:full-access'])).toEqual([
    { identity: 'up:7', name: null },
    { identity: 'role:1', name: null },
    { identity: 'token:3:full-access', name: 'Site' },
  ]);
  expect(await memberOf(strapi, 'role:1')).toBeNull();
});

it('useAuth: "role" does not stop the boot', () => {
  const route = { keys: { useAuth: 'role', useHeaders: [] }, stale: { ifError: 0 } };
  const restCache = {
    provider: new MemoryProvider({ clock: new ManualClock() }),
    config: { provider: { getTimeout: 1 }, strategy: { contentTypes: [{ routes: [route] }], graphql: null } },
  } as unknown as ServedCache;
  expect(() => new Lanes(strapi).connect(restCache, () => undefined)).not.toThrow();
});
