import { afterEach, expect, it } from 'vitest';
import { Driver } from './driver';
import { settings } from './settings';
import { documentWrites } from './writes/documents';
import { allWrites } from './writes';

let driver: Driver | undefined;

afterEach(async () => {
  await driver?.stop();
  driver = undefined;
});

/** What editors do most has turns of its own: among all kinds of writes it is one in three. */
it.each([
  ['all kinds of writes', allWrites],
  ['writes of documents', documentWrites],
])(
  'is never stale, whatever is asked for (%s)',
  async (_, kinds) => {
    const { seed, environment, milliseconds, explain } = settings;
    driver = await Driver.start({ seed, lane: 'front', environment, explain, anyUrls: true });

    await driver.run(Date.now() + milliseconds / 4, kinds);
    console.log(`seed ${seed}, ${driver.answers.size} URLs at a time, ${driver.writes} writes\n${driver.report()}`);

    expect(driver.findings).toEqual([]);
    expect([...driver.refused]).toEqual([]);
  },
  settings.milliseconds + 120_000,
);
