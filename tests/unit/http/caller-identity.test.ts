import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { callerIdentity, type CallerState } from '../../../server/src/http/caller-identity';
import { numberOfRuns } from '../../number-of-runs';

/** Specification, "Caller identity component", for every authentication state that Strapi 5.0 to 5.54 can leave. */

const state = (name: unknown, credentials: unknown, user?: unknown): CallerState => ({
  auth: { strategy: { name }, credentials },
  ...(user === undefined ? {} : { user }),
});

const ALICE = { id: 7, password: 'hash', role: { id: 1, name: 'Authenticated' } };
const ROOT = { id: 1, firstname: 'Root', roles: [{ code: 'strapi-super-admin' }] };

describe('the identity of', () => {
  it.each<[who: string, state: CallerState, name: string]>([
    ['a users-permissions user', state('users-permissions', ALICE, ALICE), 'up:7'],
    ['a user whom nothing but auth names', state('users-permissions', ALICE), 'up:7'],
    [
      'a user whom a policy has put there again, richer',
      state('users-permissions', ALICE, { ...ALICE, cart: [] }),
      'up:7',
    ],
    ['a user with a UUID', state('users-permissions', { id: '0b1c-4d' }), 'up:0b1c-4d'],
    ['the public role', state('users-permissions', null), 'up:public'],
    ['anybody on a route with auth: false', {}, 'up:public'],
    [
      'a content API token (from 5.45)',
      state('content-api-token', { id: 3, type: 'read-only', kind: 'content-api' }),
      'token:3:read-only',
    ],
    ['an API token (to 5.44)', state('api-token', { id: 3, type: 'custom', permissions: [] }), 'token:3:custom'],
    ['an admin user', state('admin', ROOT, ROOT), 'admin:1'],
    [
      'an admin token, by its owner’s id',
      state('admin-token', { id: 16, kind: 'admin', adminUserOwner: 2 }),
      'admin:2',
    ],
    [
      'an admin token, by its owner’s row',
      state('admin-token', { id: 16, kind: 'admin', adminUserOwner: ROOT }, ROOT),
      'admin:1',
    ],
    ['a transfer token', state('data-transfer', { id: 5, permissions: ['push'] }), 'strategy:data-transfer'],
    ['any other strategy', state('partner', { id: 9 }), 'strategy:partner'],
    ['any other strategy that sets a user', state('partner', { id: 9 }, { id: 9 }), 'strategy:partner'],
    ['any other strategy without credentials', state('partner', undefined), 'strategy:partner'],
  ])('%s', (_who, given, name) => {
    expect(callerIdentity(given).name).toBe(name);
  });
});

describe('nobody has a sure identity', () => {
  it.each<[what: string, state: CallerState]>([
    ['with a user without an id', state('users-permissions', {})],
    ['with a user whose id is an object', state('users-permissions', { id: { $ne: 1 } })],
    ['with a user whose id is no number', state('users-permissions', { id: Number.NaN })],
    ['with a user whose id is empty', state('users-permissions', { id: '' })],
    ['with a user whose id is a fraction', state('users-permissions', { id: 1.5 })],
    ['with a user whose id spells the public role', state('users-permissions', { id: 'public' })],
    ['with a user whose id holds separators', state('users-permissions', { id: '7&up:8' })],
    ['without credentials, and without saying that there are none', state('users-permissions', undefined)],
    ['as a user beside whom a policy has put another', state('users-permissions', ALICE, { id: 8 })],
    ['as a user beside whom a policy has put somebody without an id', state('users-permissions', ALICE, { name: 'x' })],
    ['as the public role, where a middleware knows a user', state('users-permissions', null, ALICE)],
    ['on a route with auth: false, where a middleware knows a user', { user: ALICE }],
    ['with a token without an id', state('content-api-token', { type: 'custom' })],
    ['with a token without a type', state('content-api-token', { id: 3 })],
    ['with a token whose id reaches into its type', state('api-token', { id: '3:read-only', type: 'x' })],
    ['with a token whose program asks for a user', state('content-api-token', { id: 3, type: 'custom' }, ALICE)],
    ['with an admin without an id', state('admin', {})],
    ['with an admin beside whom another stands', state('admin', ROOT, { id: 2 })],
    ['with an admin token without an owner', state('admin-token', { id: 2 })],
    ['with an admin token whose owner is null', state('admin-token', { id: 2, adminUserOwner: null })],
    [
      'with an admin token beside whose owner another stands',
      state('admin-token', { id: 2, adminUserOwner: 1 }, { id: 2 }),
    ],
    ['with a strategy without a name', state(undefined, { id: 5 })],
    ['with a strategy whose name is empty', state('', { id: 5 })],
    ['with a strategy whose name is no text', state({ toString: () => 'admin' }, { id: 5 })],
    ['with nothing but credentials', { auth: { credentials: { id: 5 } } }],
  ])('%s', (_what, given) => {
    expect(callerIdentity(given)).toEqual({ kind: 'unknown', name: 'unknown' });
  });
});

it('two callers never have one identity, whatever their ids look like', () => {
  const id = fc.oneof(
    fc.integer({ min: 0, max: 20 }),
    fc.constantFrom('public', '1', '1:custom', 'custom', '1&', '%26', 'a b', ''),
    fc.string(),
    fc.double(),
    fc.constant(undefined),
  );
  const caller = fc.record({
    strategy: fc.constantFrom('users-permissions', 'content-api-token', 'admin', 'admin-token', 'partner'),
    id,
    owner: id,
    type: fc.constantFrom('custom', 'read-only', 'custom:x', ''),
  });
  const identity = ({ strategy, id, owner, type }: { strategy: string; id: unknown; owner: unknown; type: string }) =>
    callerIdentity(state(strategy, { id, type, adminUserOwner: owner }));
  /** The person behind the credentials. An admin and that admin's token are the same person. */
  const person = ({ strategy, id, owner }: { strategy: string; id: unknown; owner: unknown }): string =>
    strategy === 'admin-token' ? `admin ${String(owner)}` : `${strategy} ${String(id)}`;
  fc.assert(
    fc.property(caller, caller, (one, other) => {
      const [first, second] = [identity(one), identity(other)];
      if (first.kind === 'unknown' || first.kind === 'strategy') return;
      if (first.name === second.name) expect(person(one)).toBe(person(other));
    }),
    { numRuns: numberOfRuns(3000) },
  );
});
