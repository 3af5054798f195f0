import { beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../server/src/cache/clock';
import { named } from '../../../server/src/cache/sentence';
import { sequence } from '../../../server/src/cache/sequence';
import type { Tag } from '../../../server/src/cache/tag';
import type { Row } from '../../../server/src/sql/column-value';
import type { ConnectionAccess, QueryOutcome } from '../../../server/src/database/connection-access';
import type { DescriptionKeeper } from '../../../server/src/database/description-keeper';
import { wholeTableTags } from '../../../server/src/dependencies/tags';
import { MOST_TABLES } from '../../../server/src/observe/observed-reads';
import { ReadsElsewhere } from '../../../server/src/observe/reads-elsewhere';
import { Recording } from '../../../server/src/observe/recording';
import { SqlObserver, type SqlObserverSettings } from '../../../server/src/observe/sql-observer';
import { createStatementMemo } from '../../../server/src/sql/statement-memo';
import type { Dialect } from '../../../server/src/sql/tokens';
import type { TableCatalog } from '../../../server/src/database/table-catalog';
import { describedCatalog } from '../../application/described-catalog';

/*
 * The observer in front of a database that behaves like MySQL: an INSERT returns no rows, rows have no versions, and a
 * transaction keeps its first snapshot.
 */

const columns = (...names: string[]) => names.map((name) => ({ name }));
const schema = {
  tables: [
    { name: 'docs', columns: columns('id', 'document_id', 'published_at', 'title'), foreignKeys: [] },
    {
      name: 'links',
      columns: columns('id', 'doc_id', 'tag_id', 'tag_ord'),
      foreignKeys: [{ columns: ['doc_id'], referencedTable: 'docs', onDelete: 'CASCADE' as const }],
    },
  ],
};
let answers: Array<readonly [part: string, rows: readonly Row[] | Error]>;
let asked: string[];
let stamped: Tag[];
let announced: Tag[];
let catalog: TableCatalog;
let tablesRead: Set<string> | undefined;
let dialect: Dialect;

beforeEach(() => {
  answers = [];
  asked = [];
  stamped = [];
  announced = [];
  catalog = describedCatalog(schema);
  tablesRead = undefined;
  dialect = 'mysql';
});

const access: ConnectionAccess = {
  connection: {},
  select: (sql, bindings) => {
    asked.push(`${sql} [${bindings.join(',')}]`);
    const answer = answers.find(([part]) => sql.includes(part))?.[1] ?? [];
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  },
  execute: (sql) => {
    asked.push(sql);
    return Promise.resolve();
  },
  rowLock: { update: ' for update', delete: ' for update' },
  quote: (name) => name,
};

const observerOf = (recording?: Recording, settings: Partial<SqlObserverSettings> = {}): SqlObserver =>
  new SqlObserver({
    sink: {
      announce: (tags) => {
        announced.push(...tags);
        return undefined;
      },
      invalidate: (tags) => void stamped.push(...tags),
    },
    catalog: () => catalog,
    precision: 'document',
    classify: createStatementMemo(dialect),
    currentRecording: () => recording,
    tablesRead,
    writeRequestsOnly: false,
    identityTables: new Set(),
    ...settings,
  });

const send = (
  observer: SqlObserver,
  sql: string,
  bindings: readonly unknown[] = [],
  outcome: Partial<QueryOutcome> = {},
): Promise<unknown> =>
  observer.observe(
    { sql, bindings },
    access,
    () => Promise.resolve(undefined),
    () => ({ rows: undefined, insertedId: undefined, ...outcome }),
  );

const write = async (sql: string, bindings: readonly unknown[], outcome: Partial<QueryOutcome>): Promise<void> => {
  await send(observerOf(), sql, bindings, outcome);
};

describe('many rows inserted at once, of which the database tells the first', () => {
  const insert = 'insert into links (doc_id, tag_id) values (?, ?), (?, ?)';

  it('are found from there on', async () => {
    answers = [
      ['from main.links', [5, 6].map((tag) => ({ id: tag + 2, doc_id: 1, tag_id: tag, tag_ord: null }))],
      ['from main.docs', [{ rest_cache_place: 0, id: 1, published_at: null }]],
    ];
    await write(insert, [1, 5, 1, 6], { insertedId: 7, affected: 2 });
    expect(asked).toContain('select * from main.links where id >= ? limit 301 [7]');
    expect(stamped).toEqual(expect.arrayContaining(['links#7', 'links#8', 'links@doc_id.draft+']));
    expect(stamped).not.toContain('links!');
  });

  it('concern the whole table where fewer are found than were inserted', async () => {
    answers = [['from main.links', [{ id: 7, doc_id: 1, tag_id: 5, tag_ord: null }]]];
    await write(insert, [1, 5, 1, 6], { insertedId: 7, affected: 2 });
    expect(stamped).toContain('links!');
  });

  it('concern the whole table where the statement gives the keys of some, which may lie before the first', async () => {
    answers = [['from main.links', [5, 6].map((tag) => ({ id: tag + 2, doc_id: 1, tag_id: tag, tag_ord: null }))]];
    const some = 'insert into links (id, doc_id, tag_id) values (?, ?, ?), (?, ?, ?)';
    await write(some, [1, 1, 5, null, 1, 6], { insertedId: 7, affected: 2 });
    expect(stamped).toContain('links!');
  });

  it('concern the whole table where its primary key is not called id, and nothing is asked', async () => {
    catalog = describedCatalog({ tables: [{ name: 'logs', columns: [], foreignKeys: [], primaryKey: 'log_id' }] });
    await write('insert into logs (line) values (?), (?)', ['a', 'b'], { insertedId: 7, affected: 2 });
    expect(asked).not.toContainEqual(expect.stringContaining('select'));
    expect(stamped).toContain('logs!');
  });
});

it('a row that is given the key 0 gets another one on MySQL, which is not known: the whole table counts', async () => {
  await write('insert into docs (id, title) values (?, ?)', [0, 'a'], { insertedId: 7, affected: 1 });
  expect(stamped).toContain('docs!');
});

describe('rows numbered anew', () => {
  const renumber =
    'update links as a, (select id, row_number() over (partition by doc_id order by tag_ord) as src_order from links where doc_id = ?) as b set tag_ord = b.src_order where b.id = a.id';
  const row = { id: 7, doc_id: 1, tag_id: 5, tag_ord: 3 };

  it('are those of one condition, and are told apart', async () => {
    answers = [['from links where doc_id = ?', [row]]];
    await write(renumber, [1], { affected: 1 });
    expect(asked).toContain('select * from links where doc_id = ? limit 301 for update [1]');
    expect(stamped).toContain('links#7');
    expect(stamped).not.toContain('links!');
    // What a new place stamps is known without its value.
    expect(asked).not.toContainEqual(expect.stringContaining('from main.links where id in'));
  });

  it('concern the whole table where another transaction has come between', async () => {
    answers = [['from links where doc_id = ?', [row]]];
    await write(renumber, [1], { affected: 2 });
    expect(stamped).toContain('links!');
  });
});

describe('a column that is set to an expression', () => {
  const rename = 'update docs set title = replace(title, ?, ?) where id = ?';
  const row = { id: 7, document_id: 'a', published_at: null, title: '/1/2' };

  it.each([
    ['has changed in no row where the database has computed the same value', [row], []],
    ['has changed where it is another one', [{ ...row, title: '/3' }], ['docs#7', 'docs|draft|.title']],
    ['may have changed where its row cannot be read again', [], ['docs#7', 'docs|draft|.title']],
  ])('%s', async (_, again, expected) => {
    answers = [
      ['from main.docs where id in', again],
      ['from docs', [row]],
    ];
    await write(rename, ['/1', '/1', 7], { affected: 1 });
    expect(asked).toContain('select * from main.docs where id in (?) for update [7]');
    expect(stamped).toHaveLength(expected.length === 0 ? 0 : stamped.length);
    expect(stamped).toEqual(expect.arrayContaining(expected));
  });

  it('is not read again where the statement gives its value', async () => {
    answers = [['from docs', [row]]];
    await write('update docs set title = ? where id = ?', ['new', 7], { affected: 1 });
    expect(asked.filter((sql) => sql.startsWith('select'))).toHaveLength(1);
  });
});

describe('a row that a join row refers to', () => {
  const insert = 'insert into links (doc_id, tag_id) values (?, ?)';
  const draft: Row = { rest_cache_place: 0, id: 1, published_at: null };
  const published: Row = { rest_cache_place: 0, id: 1, published_at: '2026-01-01' };

  /**
   * `rows` are the result of the second status look-up: another transaction has committed between this transaction's
   * look-up and its commit.
   */
  const writeWhile = async (rows: readonly Row[] | Error): Promise<void> => {
    const select = vi.spyOn(access, 'select').mockImplementation((sql) => {
      asked.push(sql);
      if (!sql.includes('from main.docs')) return Promise.resolve([]);
      if (!asked.includes('COMMIT')) return Promise.resolve([draft]);
      return rows instanceof Error ? Promise.reject(rows) : Promise.resolve(rows);
    });
    try {
      await write(insert, [1, 5], { insertedId: 7, affected: 1 });
    } finally {
      select.mockRestore();
    }
  };

  it('may have been published beside: both statuses are stamped then', async () => {
    await writeWhile([published]);
    expect(announced).toContain('links@doc_id.draft+');
    expect(stamped).toEqual(expect.arrayContaining(['links@doc_id.draft+', 'links@doc_id.published+']));
  });

  it.each([
    ['is as it was', [draft]],
    ['is gone, which its own writer stamps', []],
    ['cannot be asked for', new Error('connection lost')],
  ])('concerns its status alone where it %s', async (_, rows) => {
    await writeWhile(rows);
    expect(stamped).toContain('links@doc_id.draft+');
    expect(stamped).not.toContain('links@doc_id.published+');
  });

  it('has the whole table stamped where the transaction had failed before', async () => {
    answers = [['from main.docs', Object.assign(new Error('transaction is aborted'), { code: '25P02' })]];
    await write(insert, [1, 5], { insertedId: 7, affected: 1 });
    expect(stamped).toContain('links!');
  });

  it.each([
    ['the plugin has begun', []],
    ['the application has begun', ['BEGIN']],
  ])('lets a transaction that %s fail where it cannot be asked for: it may be lost', async (_, begin) => {
    answers = [['from main.docs', new Error('lock wait timeout')]];
    const observer = observerOf();
    const sent: string[] = [];
    const run = (sql: string): Promise<unknown> =>
      observer.observe(
        { sql, bindings: [1, 5] },
        access,
        async () => void sent.push(sql),
        () => ({ rows: undefined, insertedId: 7, affected: 1 }),
      );
    const all = async (): Promise<void> => {
      for (const sql of [...begin, insert, ...begin.map(() => 'COMMIT')]) await run(sql);
    };
    await expect(all()).rejects.toThrow('lock wait timeout');
    expect([...sent, ...asked]).not.toContain('COMMIT');
    expect(asked.at(-1)).toBe('ROLLBACK');
    expect(stamped).toEqual([]);
  });

  it('is not asked for again where the database has one writer at a time', async () => {
    answers = [['from main.docs', [draft]]];
    const { rowLock } = access;
    Object.assign(access, { rowLock: { update: '', delete: '' } });
    await write(insert, [1, 5], { insertedId: 7, affected: 1 });
    Object.assign(access, { rowLock });
    expect(asked.filter((sql) => sql.includes('from main.docs'))).toHaveLength(1);
  });
});

describe('a write that knex has cancelled, and whose connection it has returned to the pool', () => {
  it.each([
    ['read', 'select * from docs'],
    ['write', 'update docs set title = ? where id = 1'],
  ])('keeps a %s of others out of its transaction', async (_, sql) => {
    const observer = observerOf();
    let cancel = (_error: Error): void => undefined;
    const cancelled = new Promise<undefined>((_resolve, reject) => (cancel = reject));
    const through = (text: string, proceed: () => Promise<undefined>): Promise<unknown> =>
      observer.observe({ sql: text, bindings: ['a'] }, access, proceed, () => ({ rows: undefined, insertedId: 7 }));
    const write = through('insert into docs (title) values (?)', () => cancelled);
    await vi.waitFor(() => expect(asked).toContain('BEGIN'));
    const next = through(sql, () => Promise.resolve(void asked.push(sql)));
    cancel(new Error('cancelled'));
    await expect(write).rejects.toThrow('cancelled');
    await next;
    expect(asked.slice(0, asked.indexOf('ROLLBACK') + 1)).toEqual(['BEGIN', 'ROLLBACK']);
    expect(asked).toContain(sql);
  });
});

describe('a request that is never cached', () => {
  it('is taken into account until its statements are answered, by its tables', async () => {
    const readsElsewhere = new ReadsElsewhere(systemClock, () => sequence(1));
    const leaving = new Recording({ since: sequence(1), namesTablesOnly: true });
    let recording: Recording | undefined = leaving;
    const observer = observerOf(undefined, { currentRecording: () => recording, readsElsewhere });
    let answer = (_rows: readonly Row[]): void => undefined;
    const rows = new Promise<readonly Row[]>((resolve) => (answer = resolve));
    const read = { sql: 'select * from docs where id = ?', bindings: [1] };
    const outcomeOf = (found: readonly Row[]): QueryOutcome => ({ rows: found, insertedId: undefined });
    let sent: Promise<unknown> = Promise.resolve();
    await readsElsewhere.during(leaving, () => {
      // Like a handler that starts a refresh and responds without waiting for it.
      sent = observer.observe(read, access, () => rows, outcomeOf);
      return Promise.resolve();
    });
    recording = new Recording({ since: sequence(1) });
    const joining = recording;
    await readsElsewhere.during(joining, async () => {
      answer([{ id: 1 }]);
      await sent;
      expect(readsElsewhere.beside(joining)?.tags).toEqual(new Set(wholeTableTags('docs')));
    });
  });

  it('is not noted once nothing beside it can be stored, except for the tables of its permissions', async () => {
    const recording = new Recording({ namesTablesOnly: true });
    recording.forbidStoring(named('a test'));
    const tables = new Set<string>();
    const read = (isForPermission: boolean): Promise<unknown> =>
      send(
        observerOf(recording, { tablesRead: tables, isAuthenticating: () => isForPermission }),
        'select * from docs',
      );
    await read(false);
    expect([recording.content.size, tables.size]).toEqual([0, 0]);
    await read(true);
    expect([recording.content.size, [...tables]]).toEqual([0, ['docs']]);
  });
});

describe('a transaction that no request has begun', () => {
  it('is one piece of work until it ends, and what it has read forbids storing', async () => {
    const readsElsewhere = new ReadsElsewhere(systemClock, () => sequence(1));
    dialect = 'sqlite';
    const observer = observerOf(undefined, { readsElsewhere });
    const beside = (name: string): Promise<string | undefined> => {
      const recording = new Recording({ since: sequence(1) });
      let found: string | undefined = name;
      return readsElsewhere
        .during(recording, () => Promise.resolve((found = readsElsewhere.beside(recording)?.unstorable?.text)))
        .then(() => found);
    };
    await send(observer, 'BEGIN');
    await send(observer, 'insert into docs (id) values (1)', [], { insertedId: 1 });
    expect(await beside('a write')).toBeUndefined();
    await send(observer, 'select * from docs');
    expect(await beside('a read')).toMatch(/inside a transaction/);
    await send(observer, 'COMMIT');
    expect(await beside('the end')).toBeUndefined();
  });
});

it.each([
  ['is begun for something else, as its snapshot may be older', undefined, /had begun before/],
  ['is begun for the same answer', new Recording(), undefined],
])('an answer that is read in a transaction which %s', async (_what, begunFor, expected) => {
  const answering = begunFor ?? new Recording();
  let current: Recording | undefined = begunFor;
  const observer = observerOf(undefined, { currentRecording: () => current });
  await send(observer, 'BEGIN');
  current = answering;
  await send(observer, 'select * from docs');
  expect(answering.unstorable?.text).toEqual(expected === undefined ? undefined : expect.stringMatching(expected));
});

it('a stream counts as read as soon as it begins, for the answer may be done before it has ended', async () => {
  const recording = new Recording();
  const rows = new Promise<undefined>(() => undefined);
  const outcomeOf = (): QueryOutcome => ({ rows: undefined, insertedId: undefined });
  const query = { sql: 'select title from docs', bindings: [] };
  void observerOf(recording).observe(query, access, () => rows, outcomeOf, true);
  await new Promise(setImmediate);
  expect([...recording.content]).toContain('docs!');
});

it.each([
  ['has written', false, true],
  ['has not, where its authorisation did', true, false],
])('a handler %s', async (_what, isAuthenticating, expected) => {
  const recording = new Recording();
  recording.makesAnswer = true;
  const observer = observerOf(recording, { isAuthenticating: () => isAuthenticating });
  await send(observer, 'update docs set title = ? where id = ?', ['b', 1], { affected: 0 });
  expect(recording.hasWritten).toBe(expected);
});

it('rows that are chosen by other rows may be others by the time of the write: the whole table counts', async () => {
  answers = [['from links where doc_id in', [{ id: 7, doc_id: 1, tag_id: 5, tag_ord: 1 }]]];
  await write('delete from links where doc_id in (select id from docs where title = ?)', ['a'], { affected: 1 });
  expect(stamped).toContain('links!');
});

it('a transaction that may have changed the schema has it described anew when others see it: after its commit', async () => {
  const expire = vi.fn();
  const description = { isDue: false, expire, doubt: () => undefined } as unknown as DescriptionKeeper;
  dialect = 'postgres';
  const observer = observerOf(undefined, { description });
  for (const sql of ['BEGIN', 'create table others (id int)']) await send(observer, sql);
  expire.mockClear();
  await send(observer, 'COMMIT');
  expect(expire).toHaveBeenCalled();
  expire.mockClear();
  for (const sql of ['BEGIN', 'delete from links', 'COMMIT']) await send(observer, sql);
  expect(expire).not.toHaveBeenCalled();
});

describe('a transaction that changes many rows of one table', () => {
  it.each([
    [300, ['links#1', 'links#300'], ['links!']],
    [301, ['links!'], ['links#1']],
  ])('of %i stamps %j', async (count, expected, others) => {
    const rows = Array.from({ length: count }, (_, index) => ({ id: index + 1, doc_id: 1, tag_id: 1, tag_ord: 1 }));
    answers = [['from links where doc_id = ?', rows]];
    await write('delete from links where doc_id = ?', [1], { affected: count });
    expect(stamped).toEqual(expect.arrayContaining(expected));
    for (const name of others) expect(stamped).not.toContain(name);
  });
});

describe('rows that need no look', () => {
  it('are those of a table which was never read for anything that is kept, nor any that changes with it', async () => {
    tablesRead = new Set();
    await write('delete from docs where id = ?', [1], { affected: 1 });
    expect(asked).toEqual(['BEGIN', 'COMMIT']);
    expect(stamped).toEqual(['docs!', 'links!']);
  });

  it('are not those of a table with which one changes that was read', async () => {
    tablesRead = new Set();
    const recording = new Recording();
    await send(observerOf(recording), 'select * from links');
    expect([...tablesRead]).toEqual(['links']);
    answers = [
      ['from docs', [{ rest_cache_place: 0, id: 1, published_at: null }]],
      ['from main.links', [{ id: 7, doc_id: 1, tag_id: 5, tag_ord: 1 }]],
    ];
    await write('delete from docs where id = ?', [1], { affected: 1 });
    expect(stamped).toEqual(expect.arrayContaining(['docs#1', 'links#7']));
  });

  it('are still looked at where only those were read that go with them, or only they', async () => {
    tablesRead = new Set(['docs']);
    answers = [['from docs', [{ rest_cache_place: 0, id: 1, published_at: null }]]];
    await write('delete from docs where id = ?', [1], { affected: 1 });
    expect(asked.join()).not.toContain('from main.links');
    expect(stamped).toEqual(expect.arrayContaining(['docs#1', 'links!']));
  });

  it('are those inserted into a table that was never read, whatever was read of what refers to it', async () => {
    tablesRead = new Set(['links']);
    await write('insert into docs (document_id) values (?), (?)', ['a', 'b'], { insertedId: 7, affected: 2 });
    expect(asked).toEqual(['BEGIN', 'COMMIT']);
    expect(stamped).toEqual(['docs!']);
  });

  it('are those of tables beyond the number that is remembered', async () => {
    tablesRead = new Set(Array.from({ length: MOST_TABLES }, (_, index) => `temporary_${index}`));
    await send(observerOf(new Recording()), 'select * from links');
    expect(tablesRead.size).toBe(MOST_TABLES);
    await write('delete from docs where id = ?', [1], { affected: 1 });
    expect(stamped).toEqual(['docs!', 'links!']);
  });

  it('are not read for what is never kept', async () => {
    tablesRead = new Set();
    await send(observerOf(new Recording({ isWriteRequest: true, namesTablesOnly: true })), 'select * from links');
    expect([...tablesRead]).toEqual([]);
  });

  it('are those of a table that is stamped whole already, until that is taken back', async () => {
    const observer = observerOf();
    const rows = [{ id: 7, doc_id: 1, tag_id: 5, tag_ord: 1 }];
    answers = [['from links', rows]];
    const change = (): Promise<unknown> => send(observer, 'delete from links where id = ?', [7], { affected: 1 });
    await send(observer, 'BEGIN');
    await send(observer, 'savepoint one');
    await send(observer, 'insert into links select * from others');
    await change();
    expect(asked).toEqual([]);
    await send(observer, 'rollback to savepoint one');
    await change();
    expect(asked).toHaveLength(1);
    await send(observer, 'COMMIT');
    expect(stamped).toContain('links#7');
    expect(stamped).not.toContain('links!');
  });

  it('are none where an empty list is asked for', async () => {
    const rows = [{ id: 7, doc_id: 1, tag_id: 5, tag_ord: 1 }];
    answers = [['from links', rows]];
    await write('delete from links where (doc_id = ? and 1 = ?)', [1, 0], { affected: 0 });
    expect(asked).toEqual(['BEGIN', 'COMMIT']);
    expect(stamped).toEqual([]);
    await write('delete from links where (doc_id = ? and 1 = ?)', [1, 1], { affected: 1 });
    expect(stamped).toContain('links#7');
  });
});

describe('rows inserted unless they are there already', () => {
  const insert =
    'insert into links (doc_id, tag_id) values (?, ?), (?, ?) on conflict (doc_id, tag_id) do nothing returning id';
  const insertReturning = (...ids: readonly number[]): Promise<unknown> =>
    send(observerOf(), insert, [1, 5, 1, 6], { rows: ids.map((id) => ({ id })), affected: ids.length });
  beforeEach(() => {
    dialect = 'postgres';
  });

  it('are known from what comes back where all were', async () => {
    await insertReturning(7, 8);
    expect(asked.join()).not.toContain('links');
    expect(stamped).toEqual(expect.arrayContaining(['links#7', 'links#8', 'links:tag_id=6']));
    expect(stamped).not.toContain('links!');
  });

  it('stamp their table where only some were', async () => {
    await insertReturning(8);
    expect(asked).toEqual(['BEGIN', 'COMMIT']);
    expect(stamped).toEqual(['links!']);
  });

  it('are none where nothing comes back', async () => {
    await insertReturning();
    expect(asked).toEqual(['BEGIN', 'COMMIT']);
    expect(stamped).toEqual([]);
  });
});

describe('what a write returns', () => {
  const contentOf = async (sql: string): Promise<readonly Tag[]> => {
    const recording = new Recording({ since: sequence(1) });
    await send(observerOf(recording), sql, [], { rows: [{ id: 1 }], affected: 1 });
    return [...recording.content];
  };
  beforeEach(() => {
    dialect = 'postgres';
  });

  it.each([
    "update docs set title = 'b' where id = 1 returning title",
    'delete from docs where id = 1 returning id',
    "insert into docs (title) values ('a') returning id, title",
    "insert into docs (title) values ('a') on conflict (document_id) do nothing returning id",
    "with changed as (update docs set title = 'b' returning *) select * from changed",
  ])('is read: %s', async (sql) => {
    expect(await contentOf(sql)).toEqual(expect.arrayContaining(wholeTableTags('docs')));
  });

  it.each(["insert into docs (title) values ('a') returning id", "update docs set title = 'b' where id = 1"])(
    'is nothing that was there: %s',
    async (sql) => {
      expect(await contentOf(sql)).toEqual([]);
    },
  );
});

describe('a transaction that links more rows than a database can be asked for', () => {
  it('stamps its tables whole, and asks nothing before it is committed', async () => {
    const observer = observerOf();
    await send(observer, 'BEGIN');
    for (let id = 1; id <= 10_050; id += 150) {
      const values = Array.from({ length: 150 }, (_, index) => [id + index, 1]);
      const ids = values.map(([doc]) => ({ id: doc }));
      await send(
        observer,
        `insert into links (doc_id, tag_id) values ${values.map(() => '(?, ?)').join(', ')} returning id`,
        values.flat(),
        { rows: ids, affected: ids.length },
      );
    }
    asked = [];
    await send(observer, 'COMMIT');
    expect(asked).toEqual([]);
    expect(stamped).toContain('links!');
  });
});
