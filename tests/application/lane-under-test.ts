import type { RestCacheConfig } from '../../server/src/config/user-config';

type Lane = NonNullable<NonNullable<RestCacheConfig['strategy']>['lane']>;

const LANES: readonly Lane[] = ['auto', 'front', 'route'];

const isLane = (name: string): name is Lane => LANES.some((lane) => lane === name);

/**
 * The lane in which this run of the suite has to pass (`REST_CACHE_TEST_LANE`); `undefined` leaves the lane as
 * configured.
 */
export const laneUnderTest = (): Lane | undefined => {
  const name = process.env.REST_CACHE_TEST_LANE;
  if (name === undefined || name === '') return undefined;
  if (!isLane(name)) throw new Error(`REST_CACHE_TEST_LANE is "${name}"; expected ${LANES.join(', ')}`);
  return name;
};

/** The configuration with the lane under test, unless the test has chosen a lane itself. */
export const inLaneUnderTest = (config: RestCacheConfig): RestCacheConfig => {
  const lane = laneUnderTest();
  if (lane === undefined || config.strategy?.lane !== undefined) return config;
  return { ...config, strategy: { ...config.strategy, lane } };
};
