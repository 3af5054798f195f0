import type { Core } from '@strapi/strapi';
import { engine as engines } from '@strapi/permissions';
import { beforeEach, expect, it } from 'vitest';
import { record, Recording } from '../../../server/src/observe/recording';
import { repeatAbilities } from '../../../server/src/lanes/repeat-abilities';

/* Strapi's own engine with the handler of its content API, which checks whether an action exists. */

type Engine = ReturnType<typeof engines.new>;
type Permissions = Parameters<Engine['generateAbility']>[0];
/** An ability as the content API uses it: for actions alone. */
interface Ability {
  can(action: string): boolean;
  cannot(action: string): boolean;
  update(rules: readonly object[]): unknown;
}

let engine: Engine;
let actions: Set<string>;
/** How many permissions were evaluated. */
let evaluated: number;

beforeEach(() => {
  actions = new Set(['find', 'findOne']);
  evaluated = 0;
  const providers = { action: actions, condition: { get: () => ({ handler: () => false }) } };
  engine = engines.new({ providers: providers as never });
  engine.on('before-format::validate.permission', ({ permission }: { permission: { action: string } }) => {
    evaluated += 1;
    return actions.has(permission.action);
  });
  repeatAbilities({ contentAPI: { permissions: { engine, providers } } } as unknown as Core.Strapi);
});

const generate = (list: readonly object[], recording = new Recording()): Promise<Ability> =>
  record(recording, () => engine.generateAbility(list as Permissions)) as Promise<object> as Promise<Ability>;
const listOf = (...names: string[]): object[] => names.map((action) => ({ action }));

it('builds an ability once for the same list, which allows what its own would', async () => {
  for (let request = 0; request < 3; request += 1) {
    const ability = await generate(listOf('find', 'gone'));
    expect([ability.can('find'), ability.can('findOne'), ability.can('gone')]).toEqual([true, false, false]);
    expect([ability.cannot('find'), ability.cannot('findOne')]).toEqual([false, true]);
  }
  expect(evaluated).toBe(2);
  expect((await generate(listOf('findOne'))).can('find')).toBe(false);
  expect((await generate([])).can('find')).toBe(false);
});

it('builds it anew once there is another action', async () => {
  expect((await generate(listOf('find', 'later'))).can('later')).toBe(false);
  actions.add('later');
  expect((await generate(listOf('find', 'later'))).can('later')).toBe(true);
  actions.delete('later');
  expect((await generate(listOf('find', 'later'))).can('later')).toBe(false);
});

it('keeps what one request does to its ability from the others', async () => {
  const mine = await generate(listOf('find'));
  mine.update([{ action: 'findOne', subject: 'all' }]);
  expect([mine.can('find'), mine.can('findOne')]).toEqual([false, true]);
  const another = await generate(listOf('find'));
  expect([another.can('find'), another.can('findOne')]).toEqual([true, false]);
});

it.each([
  ['conditions', [{ action: 'find', conditions: ['never'] }]],
  ['parameters', [{ action: 'find', actionParameters: { a: 1 } }]],
  ['a subject', [{ action: 'find', subject: 'article' }]],
])('leaves lists with %s alone', async (_what, list) => {
  await generate(list);
  await generate(list);
  expect(evaluated).toBe(2);
});

it('leaves engines alone that others have hooked into', async () => {
  await generate(listOf('find'));
  engine.on('before-register.permission', () => undefined);
  await generate(listOf('find'));
  await generate(listOf('find'));
  expect(evaluated).toBe(3);
});

it('leaves requests alone of which nothing is cached, and writes', async () => {
  const answering = new Recording();
  answering.makesAnswer = true;
  for (let request = 0; request < 2; request += 1) {
    await engine.generateAbility(listOf('find') as Permissions);
    await generate(listOf('find'), new Recording({ isWriteRequest: true }));
    await generate(listOf('find'), answering);
  }
  expect(evaluated).toBe(6);
});
