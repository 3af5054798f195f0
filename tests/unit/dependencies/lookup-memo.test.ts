import { beforeEach, describe, expect, it } from 'vitest';
import { milliseconds } from '../../../server/src/cache/milliseconds';
import type { Tag } from '../../../server/src/cache/tag';
import { tableTag } from '../../../server/src/dependencies/dependency-tags';
import { LookUpMemo } from '../../../server/src/dependencies/lookup-memo';
import { Recording } from '../../../server/src/observe/recording';
import type { Row } from '../../../server/src/sql/column-value';
import type { ConnectionAccess } from '../../../server/src/database/connection-access';
import { SqlObserver } from '../../../server/src/observe/sql-observer';
import { createStatementMemo } from '../../../server/src/sql/statement-memo';
import { TableCatalog } from '../../../server/src/database/table-catalog';
import { MemoryProvider } from '../../../server/src/providers/memory';

/*
 * The observer with a memory of look-ups, before a database that counts what it is asked: every answer holds the number
 * of the question.
 */

const columns = (...names: string[]) => names.map((name) => ({ name }));
const catalog = new TableCatalog(
  {
    tables: [
      { name: 'permissions', columns: columns('id', 'action', 'role'), foreignKeys: [] },
      { name: 'articles', columns: columns('id', 'title'), foreignKeys: [] },
    ],
  },
  new Map(),
);
const PERMISSIONS = 'select * from permissions where role = ?';

let now: number;
let provider: MemoryProvider;
let recording: Recording | undefined;
let observer: SqlObserver;
let questions: number;
let columnsOf: (question: number) => Row;
let connection: object;

beforeEach(() => {
  now = 1_000_000;
  const clock = { now: () => milliseconds(now) };
  provider = new MemoryProvider({ clock });
  questions = 0;
  columnsOf = (question) => ({ id: question });
  connection = {};
  observer = new SqlObserver({
    sink: provider,
    catalog: () => catalog,
    precision: 'document',
    classify: createStatementMemo('postgres'),
    currentRecording: () => recording,
    isAuthenticating: () => recording?.makesAnswer === false,
    writeRequestsOnly: false,
    identityTables: new Set(),
    lookUps: new LookUpMemo((guard) => provider.holds(guard), clock),
  });
});

const access = (): ConnectionAccess => ({
  connection,
  select: () => Promise.resolve([]),
  execute: () => Promise.resolve(),
  rowLock: { update: '', delete: '' },
  quoteTable: (name) => name,
  quoteColumn: (name) => name,
});

const send = (sql: string, bindings: readonly unknown[] = ['public']): Promise<Row[]> =>
  observer.observe(
    { sql, bindings },
    access(),
    () => Promise.resolve([columnsOf((questions += 1))]),
    (rows) => ({ rows, insertedId: undefined }),
    (rows) => [...rows],
  );

const isAnonymous = (): boolean => true;

/** What an anonymous GET is answered. */
const ask = (sql = PERMISSIONS, bindings?: readonly unknown[]): Promise<Row[]> => {
  recording = new Recording(false, provider.knownSequence(), isAnonymous);
  return send(sql, bindings);
};

describe('a look-up of an anonymous caller', () => {
  it('is answered once by the database', async () => {
    expect(await ask()).toEqual([{ id: 1 }]);
    expect(await ask()).toEqual([{ id: 1 }]);
    expect(await ask(PERMISSIONS, ['other'])).toEqual([{ id: 2 }]);
    expect(await ask(PERMISSIONS, [1])).toEqual([{ id: 3 }]);
    expect(await ask(PERMISSIONS, ['1'])).toEqual([{ id: 4 }]);
  });

  it('is asked anew after a write to what it was read from, and after no other', async () => {
    await ask();
    recording = undefined;
    await send("update articles set title = 'x' where id = ?", [1]);
    const asked = questions;
    expect(await ask()).toEqual([{ id: 1 }]);
    expect(questions).toBe(asked);
    recording = undefined;
    await send('insert into permissions (action, role) values (?, ?)', ['find', 'public']);
    const written = questions;
    expect(await ask()).toEqual([{ id: written + 1 }]);
    expect(await ask()).toEqual([{ id: written + 1 }]);
  });

  it('is not kept when something it was read from was stamped on the way', async () => {
    recording = new Recording(false, provider.knownSequence(), isAnonymous);
    provider.invalidate([tableTag('permissions')]);
    await send(PERMISSIONS);
    expect(await ask()).toEqual([{ id: 2 }]);
  });

  it('tells the request what it depends on, whoever answered', async () => {
    const seen: Tag[][] = [];
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await ask();
      seen.push(recording?.verdict() ?? []);
    }
    expect(questions).toBe(1);
    expect(seen[0]?.length).toBeGreaterThan(0);
    expect(seen[1]).toEqual(seen[0]);
  });

  it('gives everybody rows of their own', async () => {
    columnsOf = () => ({ id: 1, since: new Date(5) });
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const [row] = (await ask()) as Array<{ id: number; since: Date }>;
      expect(row).toEqual({ id: 1, since: new Date(5) });
      row?.since.setTime(7);
      if (row !== undefined) row.id = 2;
    }
    expect(questions).toBe(1);
  });

  it('is asked anew after a minute, for the sake of writes that nobody saw', async () => {
    await ask();
    now += 59_999;
    expect(await ask()).toEqual([{ id: 1 }]);
    now += 1;
    expect(await ask()).toEqual([{ id: 2 }]);
  });

  it('is asked each time where a row holds more than texts, numbers and dates', async () => {
    columnsOf = (question) => ({ id: question, options: { open: true } });
    await ask();
    expect((await ask())[0]?.id).toBe(2);
  });

  it('is asked each time where a binding is more than a text or a number', async () => {
    await ask(PERMISSIONS, [new Date(5)]);
    expect(await ask(PERMISSIONS, [new Date(5)])).toEqual([{ id: 2 }]);
  });

  it.each([
    ['the time', 'select * from permissions where role = ? and now() > id'],
    ['the day', 'select * from permissions where role = ? and current_date > id'],
    ['a function, whichever', 'select * from permissions where lower(role) = ?'],
    ['the session', 'select current_setting(?), permissions.* from permissions'],
    ['a lock', 'select * from permissions where role = ? for update'],
    ['tables that nobody knows', 'select * from elsewhere where role = ?'],
    ['a query within', 'select * from permissions where id in (select id from articles where title = ?)'],
  ])('is asked each time where it asks for %s', async (_what, sql) => {
    await ask(sql);
    expect(await ask(sql)).toEqual([{ id: 2 }]);
  });

  it('is told apart by what its connection has been set to', async () => {
    await ask();
    await send('SET search_path TO tenant', []);
    const asked = questions;
    expect(await ask()).toEqual([{ id: asked + 1 }]);
    connection = {};
    expect(await ask()).toEqual([{ id: 1 }]);
    await send('SET search_path TO tenant', []);
    expect(await ask()).toEqual([{ id: asked + 1 }]);
  });

  it('is asked each time on a connection that was set to something beyond words', async () => {
    await send('SET search_path TO ?', [10n]);
    const asked = questions;
    await ask();
    expect(await ask()).toEqual([{ id: asked + 2 }]);
  });

  it('is asked each time on a connection of which nobody knows whether a rollback has taken the setting back', async () => {
    await send('begin', []);
    await send('SET search_path TO tenant', []);
    await send('rollback', []);
    const asked = questions;
    await ask();
    expect(await ask()).toEqual([{ id: asked + 2 }]);
  });

  it('is asked each time on a connection that is set to something all the time', async () => {
    for (let turn = 0; turn < 100; turn += 1) await send(`SET search_path TO tenant_${turn}`, []);
    const asked = questions;
    await ask();
    expect(await ask()).toEqual([{ id: asked + 2 }]);
  });

  it('is asked each time within a transaction', async () => {
    await ask();
    await send('begin', []);
    const asked = questions;
    expect(await ask()).toEqual([{ id: asked + 1 }]);
    await send('commit', []);
    expect(await ask()).toEqual([{ id: 1 }]);
  });
});

describe('a look-up', () => {
  it.each([
    ['of a caller with a credential', (since) => new Recording(false, since, () => false)],
    ['of a write', (since) => new Recording(true, since, isAnonymous)],
    ['before which no number was noted', () => new Recording(false, undefined, isAnonymous)],
    [
      'that makes the answer',
      (since) => {
        const made = new Recording(false, since, isAnonymous);
        made.beginContent();
        return made;
      },
    ],
  ] satisfies Array<[string, (since: ReturnType<MemoryProvider['knownSequence']>) => Recording]>)(
    '%s is neither kept nor answered from what is kept',
    async (_what, record) => {
      recording = record(provider.knownSequence());
      await send(PERMISSIONS);
      expect(await ask()).toEqual([{ id: 2 }]);
      recording = record(provider.knownSequence());
      expect(await send(PERMISSIONS)).toEqual([{ id: 3 }]);
    },
  );
});
