import { afterAll, beforeAll, expect, it } from 'vitest';
import { removeApplications, reportOf, writeApplication } from '../check/run-check';
import { postgresDatabase, type OwnDatabase } from '../histories/postgres-database';

let database: OwnDatabase;
beforeAll(async () => {
  database = await postgresDatabase();
});
afterAll(async () => {
  removeApplications();
  await database.drop();
});

/** Prints every statement that the driver gets to stderr. */
const CONFIGURATION = `
const { Client } = require('pg');
const { query } = Client.prototype;
Client.prototype.query = function (...args) {
  console.error('SQL: ' + (args[0].text ?? args[0]));
  return query.apply(this, args);
};
module.exports = ({ env }) => ({
  connection: {
    client: 'postgres',
    connection: {
      host: env('DATABASE_HOST'),
      port: env.int('DATABASE_PORT'),
      database: env('DATABASE_NAME'),
      user: env('DATABASE_USERNAME'),
      password: env('DATABASE_PASSWORD'),
      schema: env('DATABASE_SCHEMA', 'public'),
    },
    pool: { min: 2, max: 10 },
  },
});
`;

it.each([{}, { typescript: true }])(
  'check reads grants from a live database and cannot write to it %j',
  async (how) => {
    const directory = writeApplication({
      configuration: 'plugin-rest-cache',
      files: { 'config/database.js': CONFIGURATION },
      ...how,
    });
    const { code, report, errors, isUntouched } = await reportOf(directory, [], database.environment);
    expect([code, isUntouched, report.grantsUnknown ?? null]).toEqual([0, true, null]);
    expect(report.grants?.join('\n')).toContain('is not granted api::board.board.crew');
    const statements = [...errors.matchAll(/^SQL: (.*)$/gm)].map(([, sql = '']) => sql);
    const [first = ''] = statements.splice(0, statements.findIndex((sql) => /^begin/i.test(sql)) + 1).slice(-1);
    expect(first).toBe('BEGIN TRANSACTION READ ONLY;');
    expect(statements.at(-1)).toBe('COMMIT;');
    expect(statements.slice(0, -1).filter((sql) => !sql.startsWith('select '))).toEqual([]);
  },
);
