import { afterEach, expect, it } from 'vitest';
import type { DatabaseName } from './databases';
import { Driver, Place } from './driver';
import type { Lane } from './lane';
import { settings } from './settings';

let place: Place | undefined;
let driver: Driver | undefined;

const end = async (): Promise<void> => {
  await driver?.stop();
  driver = undefined;
  await place?.remove();
  place = undefined;
};

/**
 * Runs the differential test on one database, in one lane after the other.
 *
 * @param seconds for each lane. The soak test sets the total time instead.
 */
export const onDatabase = (client: DatabaseName, usual: readonly Lane[], seconds: number): void => {
  const lanes = settings.lanes ?? usual;
  const milliseconds = settings.milliseconds === undefined ? seconds * 1000 : settings.milliseconds / lanes.length;

  afterEach(end);

  it(
    `answers as its uncached twin does, on ${client}, in the ${lanes.join(' and the ')} lane`,
    async () => {
      place = await Place.make(client);
      for (const lane of lanes) {
        const seed = settings.seed + lanes.indexOf(lane);
        driver = await Driver.start(place, lane, seed);
        await driver.run(Date.now() + milliseconds);
        const { answers, refused } = driver;
        console.log(`seed ${seed}, ${client}, ${lane} lane, ${answers.size} URLs as callers: ${driver.report()}`);
        expect([...answers.unexpected]).toEqual([]);
        expect(answers.findings).toEqual([]);
        expect([...refused]).toEqual([]);
        expect(answers.hits).toBeGreaterThan(answers.size);
        await driver.stop();
        driver = undefined;
      }
    },
    lanes.length * (milliseconds + 600_000),
  );
};
