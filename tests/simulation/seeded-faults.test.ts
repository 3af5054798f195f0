import { expect, it } from 'vitest';
import { FAULTS } from './faults';
import { runSchedules, SHORT_FORM } from './run-schedules';
import { SOUND } from './scene';

/** Tests the simulation itself: with a deliberate mistake, the short form must find a schedule that shows it. */
it.each(FAULTS)('a schedule betrays $title', async ({ title, installation, parts }) => {
  const { details, tally, seconds } = await runSchedules(installation, {
    schedules: SHORT_FORM,
    parts: { ...SOUND, ...parts },
    shrink: false,
  });
  console.info(`${title}: found in schedule ${tally.schedules}, after ${seconds.toFixed(2)} s, seed ${details.seed}`);
  expect(details.failed).toBe(true);
  expect(String(details.errorInstance)).toMatch(/stale|not committed|purged/);
});
