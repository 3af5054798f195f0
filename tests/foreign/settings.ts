import type { Lane } from './lane';

/** The settings of the driver, from the environment. `scripts/soak.mjs` sets them. */
const { DIFFERENTIAL_SEED, DIFFERENTIAL_SECONDS, DIFFERENTIAL_LANES, FOREIGN_URLS, FOREIGN_WRITES } = process.env;

export const settings = {
  seed: DIFFERENTIAL_SEED === undefined ? Date.now() % 1_000_000 : Number(DIFFERENTIAL_SEED),
  /** In total, for all lanes of a test. */
  milliseconds: DIFFERENTIAL_SECONDS === undefined ? undefined : Number(DIFFERENTIAL_SECONDS) * 1000,
  /** For debugging: uses only URLs and kinds of writes that match. */
  urls: new RegExp(FOREIGN_URLS ?? ''),
  writes: new RegExp(FOREIGN_WRITES ?? ''),
  lanes: DIFFERENTIAL_LANES?.split(',') as Lane[] | undefined,
};
