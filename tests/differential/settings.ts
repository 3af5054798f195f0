import type { Way } from './configuration';

/** The settings of the driver, from the environment. `scripts/soak.mjs` sets them. */
const {
  DIFFERENTIAL_SEED,
  DIFFERENTIAL_SECONDS = '24',
  DIFFERENTIAL_LANES = 'front,route,own-functions,repeatable',
  DIFFERENTIAL_EXPLAIN,
  DIFFERENTIAL_DATABASE,
} = process.env;

/** An empty database, seeded by the playground's first boot: DATABASE_URL=mysql://user:password@host/database. */
const mariaDb = {
  DATABASE_CLIENT: 'mysql',
  DATABASE_URL: process.env.DATABASE_URL ?? 'mysql://root@127.0.0.1/rest_cache',
};

export const settings = {
  seed: DIFFERENTIAL_SEED === undefined ? Date.now() % 1_000_000 : Number(DIFFERENTIAL_SEED),
  milliseconds: Number(DIFFERENTIAL_SECONDS) * 1000,
  lanes: DIFFERENTIAL_LANES.split(',') as Way[],
  explain: DIFFERENTIAL_EXPLAIN === '1',
  environment: DIFFERENTIAL_DATABASE === 'mysql' ? mariaDb : {},
};
