import { afterEach, expect, it } from 'vitest';
import { Driver } from './driver';
import { settings } from './settings';

let driver: Driver | undefined;

afterEach(async () => {
  await driver?.stop();
  driver = undefined;
});

it.each(settings.lanes)(
  'is never stale, whatever is written (%s lane)',
  async (lane) => {
    const { seed, environment, milliseconds, explain } = settings;
    // Each lane gets other writes.
    driver = await Driver.start({ seed: seed + settings.lanes.indexOf(lane), lane, environment, explain });
    expect(driver.answers.absent.map(({ path }) => path)).toEqual([]);
    expect(driver.answers.size).toBeGreaterThanOrEqual(60);

    await driver.run(Date.now() + milliseconds / settings.lanes.length);
    console.log(`seed ${seed}, ${lane} lane, ${driver.answers.size} URLs, ${driver.writes} writes\n${driver.report()}`);
    for (const line of driver.causes?.lines().slice(0, 200) ?? []) console.log(line);

    expect(driver.findings).toEqual([]);
    expect([...driver.refused]).toEqual([]);
  },
  settings.milliseconds + 120_000,
);
