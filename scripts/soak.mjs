/**
 * Looks for stale answers for as long as one likes.
 *
 *   npm run test:soak -- --minutes 10 --seed 42 --database postgres
 *
 * --minutes   how long, altogether. Default 10.
 * --seed      repeats a run; printed by every run. Default: another each time.
 * --database  sqlite (default), postgres or mysql: what the differential driver writes to.
 */

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    database: { type: 'string', default: 'sqlite' },
  },
});

const seconds = Number(values.minutes) * 60;
const databases = ['sqlite', 'postgres', 'mysql'];
if (!(seconds > 0) || !Number.isInteger(Number(values.seed)) || !databases.includes(values.database)) {
  console.error(
    `--minutes takes a number greater than 0, --seed a whole number, --database one of ${databases.join(', ')}.`,
  );
  process.exit(2);
}

const run = (title, project, file, environment) => {
  console.log(`\n# ${title} (seed ${values.seed})`);
  const { status } = spawnSync('npx', ['vitest', 'run', '--project', project, file], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  if (status !== 0) process.exit(status ?? 1);
};

// Histories need PostgreSQL; with it, they get a quarter of the time.
const histories = values.database === 'postgres' ? seconds / 4 : 0;
const differential = seconds - histories;
if (values.database === 'postgres') {
  run('differential on PostgreSQL', 'postgres', 'tests/histories/postgres-differential', {
    DIFFERENTIAL_SEED: values.seed,
    DIFFERENTIAL_SECONDS: String(differential * 2),
  });
  run('concurrent histories', 'postgres', 'tests/histories/never-behind', {
    HISTORIES_SEED: values.seed,
    HISTORIES_SECONDS: String(histories),
    HISTORIES_OPERATIONS: '1000000000',
  });
} else {
  run(`differential on ${values.database}`, 'differential', 'tests/differential/never-stale', {
    DIFFERENTIAL_SEED: values.seed,
    DIFFERENTIAL_SECONDS: String(differential),
    DIFFERENTIAL_DATABASE: values.database,
  });
}
