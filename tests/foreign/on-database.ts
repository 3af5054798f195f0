import { afterEach, expect, it } from 'vitest';
import type { DatabaseName } from './databases';
import { Driver, Place, type Reads } from './driver';
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

const compares = (
  client: DatabaseName,
  reads: Exclude<Reads, 'by role'>,
  usual: readonly Lane[],
  seconds: number,
): void => {
  const lanes = settings.lanes ?? usual;
  const milliseconds = settings.milliseconds === undefined ? seconds * 1000 : settings.milliseconds / lanes.length;

  afterEach(end);

  it(
    `answers ${reads} as its uncached twin does, on ${client}, in the ${lanes.join(' and the ')} lane`,
    async () => {
      place = await Place.make(client);
      for (const lane of lanes) {
        const seed = settings.seed + lanes.indexOf(lane);
        driver = await Driver.start(place, lane, seed, reads);
        await driver.run(Date.now() + milliseconds);
        const { answers, refused } = driver;
        console.log(
          `seed ${seed}, ${client}, ${reads}, ${lane} lane, ${answers.size} URLs as callers: ${driver.report()}`,
        );
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

/**
 * Runs the differential test on one database, in one lane after the other.
 *
 * @param seconds for each lane. The soak test sets the total time instead.
 */
export const onDatabase = (client: DatabaseName, lanes: readonly Lane[], seconds: number): void =>
  compares(client, 'routes', lanes, seconds);

/** The same with the reads of GraphQL. */
export const graphqlOnDatabase = (client: DatabaseName, lanes: readonly Lane[], seconds: number): void =>
  compares(client, 'graphql', lanes, seconds);

/**
 * The same where users of a role share answers: 20 users in four roles, and changes of their roles and permissions
 * beside some of the other writes.
 */
export const byRoleOnDatabase = (client: DatabaseName, lane: Lane, seconds: number): void => {
  const milliseconds = settings.milliseconds === undefined ? seconds * 1000 : settings.milliseconds / 2;

  afterEach(end);

  it(
    `answers 20 users in four roles as its uncached twin does, on ${client}, in the ${lane} lane`,
    async () => {
      place = await Place.make(client);
      const { seed } = settings;
      driver = await Driver.start(place, lane, seed, 'by role');
      const { answers, refused } = driver;
      await driver.runByRole(Date.now() + milliseconds);
      const shared = answers.urls.map(({ path, ofRole }) => ({ path, ofRole, times: answers.shared.get(path) ?? 0 }));
      const times = shared.reduce((sum, each) => sum + each.times, 0);
      console.log(
        `seed ${seed}, ${client}, by role, ${lane} lane, ${answers.size} URLs as callers, ${times} of them first ` +
          `answered by an entry of another user: ${driver.report()}`,
      );
      expect([...answers.unexpected]).toEqual([]);
      expect(answers.findings).toEqual([]);
      expect([...refused]).toEqual([]);
      // Otherwise the test would pass if users never shared anything.
      expect(shared.filter((each) => each.ofRole === 'shared' && each.times === 0)).toEqual([]);
      expect(shared.filter((each) => each.ofRole === 'own' && each.times > 0)).toEqual([]);
    },
    milliseconds + 600_000,
  );
};
