import { afterEach, expect, it } from 'vitest';
import { Driver } from './driver';
import { settings } from './settings';
import { documentWrites } from './writes/documents';

let driver: Driver | undefined;

afterEach(async () => {
  await driver?.stop();
  driver = undefined;
});

it(
  'is never stale, whatever is asked for',
  async () => {
    const { seed, environment, milliseconds, explain } = settings;
    driver = await Driver.start({ seed, lane: 'front', environment, explain, anyUrls: true });

    await driver.run(Date.now() + milliseconds / 4);
    // Half of the time goes to writes of documents, which editors make most. Among all kinds of writes they are one in
    // three.
    await driver.run(Date.now() + milliseconds / 4, documentWrites);
    console.log(`seed ${seed}, ${driver.answers.size} URLs at a time, ${driver.writes} writes\n${driver.report()}`);

    expect(driver.findings).toEqual([]);
    expect([...driver.refused]).toEqual([]);
  },
  settings.milliseconds + 120_000,
);
