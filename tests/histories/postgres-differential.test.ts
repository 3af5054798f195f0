import { afterAll, expect, it } from 'vitest';
import { Driver } from '../differential/driver';
import { settings } from '../differential/settings';
import { postgresDatabase, type OwnDatabase } from './postgres-database';

let database: OwnDatabase | undefined;
let driver: Driver | undefined;

afterAll(async () => {
  await driver?.stop();
  await database?.drop();
});

const milliseconds = settings.milliseconds / 2;

it(
  'is never stale on PostgreSQL, whatever is written',
  async () => {
    const { seed } = settings;
    database = await postgresDatabase(8);
    driver = await Driver.start({ seed, lane: 'front', environment: database.environment, explain: settings.explain });
    await driver.run(Date.now() + milliseconds);
    console.log(`seed ${seed}, PostgreSQL, ${driver.answers.size} URLs, ${driver.writes} writes\n${driver.report()}`);
    for (const line of driver.causes?.lines().slice(0, 80) ?? []) console.log(line);
    expect(driver.findings).toEqual([]);
    expect([...driver.refused]).toEqual([]);
  },
  milliseconds + 300_000,
);
