import fc from 'fast-check';
import { expect, it } from 'vitest';
import { milliseconds } from '../../../server/src/cache/milliseconds';
import type { Row } from '../../../server/src/sql/column-value';
import { LookUpMemo } from '../../../server/src/dependencies/lookup-memo';
import { Recording } from '../../../server/src/observe/recording';
import type { ConnectionAccess, QueryOutcome } from '../../../server/src/database/connection-access';
import { SqlObserver } from '../../../server/src/observe/sql-observer';
import { createStatementMemo } from '../../../server/src/sql/statement-memo';
import { TableCatalog } from '../../../server/src/database/table-catalog';
import { MemoryProvider } from '../../../server/src/providers/memory';

const columns = ['id', 'role', 'version'].map((name) => ({ name }));
const catalog = new TableCatalog({ tables: [{ name: 'permissions', columns, foreignKeys: [] }] }, new Map());
const classify = createStatementMemo('postgres');
const clock = { now: () => milliseconds(0) };

/** One permission in as many versions as there are writes; every step of every statement is the scheduler's to delay. */
class World {
  readonly stale: string[] = [];
  answered = 0;
  sent = 0;
  readonly #provider = new MemoryProvider({ clock });
  readonly #step: () => Promise<void>;
  readonly #observer: SqlObserver;
  #recording: Recording | undefined;
  #committed = 0;
  #acknowledged = 0;
  #written = 0;

  constructor(scheduler: fc.Scheduler) {
    this.#step = () => scheduler.schedule(Promise.resolve());
    this.#observer = new SqlObserver({
      sink: this.#provider,
      catalog: () => catalog,
      precision: 'document',
      classify,
      currentRecording: () => this.#recording,
      isAuthenticating: () => true,
      writeRequestsOnly: false,
      identityTables: new Set(),
      lookUps: new LookUpMemo((guard) => this.#provider.holds(guard), clock),
    });
  }

  /** An anonymous request, which must see whatever was acknowledged before it came. */
  async read(): Promise<void> {
    await this.#step();
    const acknowledged = this.#acknowledged;
    const recording = new Recording(false, this.#provider.knownSequence(), () => true);
    await this.#step();
    const { rows } = await this.#send(recording, 'select * from permissions where role = ?', ['public'], async () => {
      this.sent += 1;
      await this.#step();
      const version = this.#committed;
      await this.#step();
      return { rows: [this.#row(version)], insertedId: undefined };
    });
    this.answered += 1;
    const seen = Number(rows?.[0]?.version);
    if (!(seen >= acknowledged)) this.stale.push(`version ${seen}, after ${acknowledged} was acknowledged`);
  }

  async write(): Promise<void> {
    await this.#step();
    const version = (this.#written += 1);
    await this.#send(undefined, 'update permissions set version = ? where id = ?', [version, 1], async () => {
      await this.#step();
      return { rows: undefined, insertedId: undefined, affected: 1 };
    });
    this.#acknowledged = Math.max(this.#acknowledged, version);
  }

  #send(
    recording: Recording | undefined,
    sql: string,
    bindings: readonly unknown[],
    proceed: () => Promise<QueryOutcome>,
  ): Promise<QueryOutcome> {
    this.#recording = recording;
    const answerWith = (rows: readonly Row[]): QueryOutcome => ({ rows, insertedId: undefined });
    return this.#observer.observe({ sql, bindings }, this.#connection(bindings), proceed, (one) => one, answerWith);
  }

  /** Of its own for each statement; what is committed on it is the version written. */
  #connection([version]: readonly unknown[]): ConnectionAccess {
    return {
      connection: {},
      select: async () => {
        await this.#step();
        return [this.#row(this.#committed)];
      },
      execute: async (sql) => {
        await this.#step();
        if (sql === 'COMMIT') this.#committed = Math.max(this.#committed, Number(version));
        await this.#step();
      },
      rowLock: { update: '', delete: '' },
      quoteTable: (name) => name,
      quoteColumn: (name) => name,
    };
  }

  #row(version: number): Row {
    return { id: 1, role: 'public', version };
  }
}

it('a look-up sees what was acknowledged before its request came, however reads and writes interleave', async () => {
  let answered = 0;
  let sent = 0;
  const acts = fc.array(fc.constantFrom('read', 'read', 'write'), { minLength: 3, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), acts, async (scheduler, list) => {
      const world = new World(scheduler);
      await scheduler.waitFor(Promise.all(list.map((act) => (act === 'read' ? world.read() : world.write()))));
      expect(world.stale).toEqual([]);
      answered += world.answered;
      sent += world.sent;
    }),
    { numRuns: 2000 },
  );
  // Otherwise nothing was shown.
  expect(sent).toBeLessThan(0.9 * answered);
});
