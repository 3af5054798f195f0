import type { Lane } from './lane';

/** How long and on what the driver runs, from the environment: `scripts/soak.mjs` sets it. */
const { DIFFERENTIAL_SEED, DIFFERENTIAL_SECONDS, DIFFERENTIAL_LANES, FOREIGN_URLS, FOREIGN_WRITES } = process.env;

export const settings = {
  seed: DIFFERENTIAL_SEED === undefined ? Date.now() % 1_000_000 : Number(DIFFERENTIAL_SEED),
  /** For all lanes of a test together. */
  milliseconds: DIFFERENTIAL_SECONDS === undefined ? undefined : Number(DIFFERENTIAL_SECONDS) * 1000,
  /** To look into something: only URLs and kinds of writes that match. */
  urls: new RegExp(FOREIGN_URLS ?? ''),
  writes: new RegExp(FOREIGN_WRITES ?? ''),
  lanes: DIFFERENTIAL_LANES?.split(',') as Lane[] | undefined,
};
