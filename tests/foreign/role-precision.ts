import type { Application } from '../application/start-application';
import type { Driver } from './driver';
import { newUser } from './callers';
import { PERMISSION, ROLE } from './world';
import { saveRole } from './writes/roles';

/** Whose answers a change of one role's permissions has purged: `X-Cache` of the next request of each role. */
export interface Purged {
  readonly change: string;
  readonly changed: string | null;
  readonly other: string | null;
}

const PATH = '/api/patrons/programme';
const ACTION = 'api::notice.notice.findOne';

/** Makes changes of one role's permissions, and looks whether another role's answers outlive them. */
export const purgedByPermissions = async ({ application, world }: Driver): Promise<readonly Purged[]> => {
  const { knex } = world;
  const [changed, other] = [await world.any(ROLE, { type: 'patron' }), await world.any(ROLE, { type: 'press' })];
  const callers = [
    await newUser(application, 'one-patron', changed.id),
    await newUser(application, 'one-press', other.id),
  ];
  const grant = () => world.query(PERMISSION).create({ data: { action: ACTION, role: changed.id } });
  const granted = async (): Promise<number> => (await world.any(PERMISSION, { action: ACTION, role: changed.id })).id;
  const { id: another } = await world.any(ROLE, { type: 'authenticated' });
  const changes: ReadonlyArray<readonly [string, () => PromiseLike<unknown>]> = [
    ['a permission is made', grant],
    ['a permission is made twice', grant],
    ['the role is saved without it', () => saveRole(world, changed, [ACTION])],
    ['a permission is made for a later deletion', grant],
    ['a permission is deleted', async () => world.query(PERMISSION).delete({ where: { id: await granted() } })],
    ['a permission is made for SQL', grant],
    [
      'a permission is deleted by SQL, and its link by the foreign key',
      async () =>
        knex('up_permissions')
          .where({ id: await granted() })
          .delete(),
    ],
    ['a permission is made to be moved', grant],
    [
      'a permission is moved to a third role',
      async () =>
        knex('up_permissions_role_lnk')
          .where({ permission_id: await granted() })
          .update({ role_id: another }),
    ],
  ];
  const outcomes: Purged[] = [];
  for (const [change, make] of changes) {
    for (const { headers } of callers) await heat(application, headers);
    await make();
    const [own, rest] = await Promise.all(callers.map(({ headers }) => application.get(PATH, { ...headers })));
    outcomes.push({ change, changed: own?.cache ?? null, other: rest?.cache ?? null });
  }
  return outcomes;
};

const heat = async (application: Application, headers: Readonly<Record<string, string>>): Promise<void> => {
  for (let attempt = 0; attempt < 3; attempt += 1) await application.get(PATH, { ...headers });
  const { cache, status } = await application.get(PATH, { ...headers });
  if (cache !== 'HIT') throw new Error(`${PATH} is ${status} ${String(cache)} instead of a hit`);
};
