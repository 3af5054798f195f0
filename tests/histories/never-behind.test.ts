import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApplication, type Application } from '../application/start-application';
import { configuration } from '../differential/configuration';
import { runHistory } from './history';
import { historySettings } from './history-settings';
import { postgresDatabase, type OwnDatabase } from './postgres-database';

const settings = historySettings(30);

let database: OwnDatabase | undefined;
let application: Application | undefined;

beforeAll(async () => {
  database = await postgresDatabase(10);
  application = await startApplication({ restCache: configuration('front'), environment: database.environment });
}, 300_000);

afterAll(async () => {
  await application?.stop();
  await database?.drop();
});

it(
  'shows every reader at least what was acknowledged before it asked',
  async () => {
    if (application === undefined) throw new Error('the application did not start');
    expect((await runHistory(application, { ...settings, writers: 6 })).violations).toEqual([]);
  },
  settings.milliseconds + 240_000,
);
