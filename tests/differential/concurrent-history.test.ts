import { setTimeout as pause } from 'node:timers/promises';
import type { Knex } from 'knex';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApplication, type Application } from '../application/start-application';
import { runHistory } from '../histories/history';
import { historySettings } from '../histories/history-settings';
import { configuration } from './configuration';

/**
 * With one connection, which is Strapi's default on SQLite, no read happens during a commit. With several, a reader may
 * see the state before the commit between a stamp and its commit. Strapi's boot writes on several connections at once,
 * which SQLite refuses, so more connections are allowed only after the boot.
 */
const CONNECTIONS = 4;

const settings = historySettings(15);

interface Dialect {
  _query(connection: object, query: { readonly sql: string }): Promise<unknown>;
}

/** On a disk that has to be written, a commit takes time. Here each commit waits 10 ms, during which others read. */
const commitSlowly = ({ client }: Knex): void => {
  // Beneath the functions that the plugin has put in front of the dialect's.
  const dialect = Object.getPrototypeOf(Object.getPrototypeOf(client)) as Dialect;
  const { _query } = dialect;
  dialect._query = async function (connection, query) {
    if (/^commit/i.test(query.sql)) await pause(10);
    return _query.call(this, connection, query);
  };
};

let application: Application | undefined;

beforeAll(async () => {
  application = await startApplication({ restCache: configuration('front') });
  const { connection } = application.strapi.db;
  // Otherwise readers and a commit block each other, and so the whole process.
  await connection.raw('pragma journal_mode = wal');
  (connection.client as { pool: { max: number } }).pool.max = CONNECTIONS;
  commitSlowly(connection);
}, 300_000);

afterAll(() => application?.stop());

it(
  'shows every reader at least what was acknowledged before it asked, on SQLite with several connections',
  async () => {
    if (application === undefined) throw new Error('the application did not start');
    // SQLite allows one writer at a time; a second one would block the process.
    const { violations } = await runHistory(application, { ...settings, writers: 1 });
    expect(violations).toEqual([]);
  },
  settings.milliseconds + 240_000,
);
