import { engine as engines } from '@strapi/permissions';
import { beforeEach, expect, it } from 'vitest';
import { type Ability as Given, abilityLike, SharedAbilities } from '../../../server/src/lanes/shared-abilities';

/* Abilities as Strapi's own engine makes them for the content API. */

type Engine = ReturnType<typeof engines.new>;
type Permissions = Parameters<Engine['generateAbility']>[0];
/** An ability as the content API uses it: for actions alone. */
interface Ability extends Given {
  cannot(action: string): boolean;
}

const condition = { get: () => ({ handler: () => ({ id: 1 }) }) };
const engine = engines.new({ providers: { action: new Set(), condition } as never });
let shared: SharedAbilities;
beforeEach(() => {
  shared = new SharedAbilities();
});

const made = async (list: readonly object[]): Promise<Ability> =>
  (await engine.generateAbility(list as Permissions)) as object as Ability;
const madeFor = (...names: string[]): Promise<Ability> => made(names.map((action) => ({ action })));

it('holds one ability for the same actions, which allows what each would', async () => {
  const first = await madeFor('find', 'findOne');
  expect(shared.share(first)).toBe(first);
  expect(shared.share(await madeFor('find', 'findOne'))).toBe(first);
  const other = await madeFor('find');
  expect(shared.share(other)).toBe(other);
  const none = await madeFor();
  expect(shared.share(none)).toBe(none);
  const own = abilityLike(first) as Ability;
  expect([own.can('find'), own.can('gone'), own.cannot('gone')]).toEqual([true, false, true]);
});

it('keeps what one request does to its ability from the others', async () => {
  const origin = await madeFor('find');
  const mine = abilityLike(abilityLike(origin)) as Ability;
  expect(mine.update([{ action: 'findOne', subject: 'all' }])).toBe(mine);
  expect([mine.can('find'), mine.can('findOne')]).toEqual([false, true]);
  const another = abilityLike(origin);
  expect([another.can('find'), another.can('findOne')]).toEqual([true, false]);
  expect(shared.share(origin)).toBe(origin);
});

it.each([
  ['conditions', [{ action: 'find', conditions: ['own'] }]],
  ['fields', [{ action: 'find', properties: { fields: ['title'] } }]],
  ['a subject', [{ action: 'find', subject: 'article' }]],
])('does not share one with %s', async (_what, list) => {
  expect(shared.share(await made(list))).toBeUndefined();
});

it('does not share one of which the rules are not known', () => {
  expect(shared.share({ can: () => true })).toBeUndefined();
});
