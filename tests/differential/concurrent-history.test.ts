import { setTimeout as pause } from 'node:timers/promises';
import type { Knex } from 'knex';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApplication, type Application } from '../application/start-application';
import { runHistory } from '../histories/history';
import { historySettings } from '../histories/history-settings';
import { configuration } from './configuration';

/**
 * With one connection, which is Strapi's default on SQLite, nobody reads while somebody commits. With several, a reader
 * may see what was there before between a stamp and its commit. Strapi's boot writes with several at once, which SQLite
 * refuses: more are allowed afterwards.
 */
const CONNECTIONS = 4;

const settings = historySettings(15);

interface Dialect {
  _query(connection: object, query: { readonly sql: string }): Promise<unknown>;
}

/** A commit takes its time on a disk that has to be written; here it is that of a turn or two, in which others read. */
const commitSlowly = ({ client }: Knex): void => {
  // Beneath what the plugin has put in front of it.
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
  // Otherwise readers and a commit hold each other up, and all of them the process.
  await connection.raw('pragma journal_mode = wal');
  (connection.client as { pool: { max: number } }).pool.max = CONNECTIONS;
  commitSlowly(connection);
}, 300_000);

afterAll(() => application?.stop());

it(
  'shows every reader at least what was acknowledged before it asked, on SQLite with several connections',
  async () => {
    if (application === undefined) throw new Error('the application did not start');
    // SQLite has one writer at a time, and a second would hold up the process.
    const { violations } = await runHistory(application, { ...settings, writers: 1 });
    expect(violations).toEqual([]);
  },
  settings.milliseconds + 240_000,
);
