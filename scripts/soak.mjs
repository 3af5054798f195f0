/**
 * Looks for stale answers for as long as you like.
 *
 *   npm run test:soak -- --minutes 10 --seed 42 --database postgres
 *
 * --minutes      total duration. Default: 10.
 * --seed         repeats a run; every run prints its seed. Default: a new one each time.
 * --database     sqlite (default), postgres or mysql: the database that the differential driver writes to.
 * --application  playground (default) or foreign: tests/applications/foreign, beside an uncached twin of itself.
 * --reads        routes (default) or graphql: the reads of the foreign application that are compared.
 * --provider     memory (default) or redis.
 * --lane         one or several, separated by commas and tested one after the other. The playground takes front, route,
 *                own-functions and repeatable, and tests all of them by default, but on PostgreSQL always front. The
 *                foreign application takes front, route and repeatable, and tests front and route by default.
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
    application: { type: 'string', default: 'playground' },
    reads: { type: 'string', default: 'routes' },
    provider: { type: 'string', default: 'memory' },
    lane: { type: 'string' },
  },
});

const seconds = Number(values.minutes) * 60;
const choices = {
  database: ['sqlite', 'postgres', 'mysql'],
  application: ['playground', 'foreign'],
  reads: ['routes', 'graphql'],
  provider: ['memory', 'redis'],
};
const wrong = Object.entries(choices).find(([name, accepted]) => !accepted.includes(values[name]));
const lanes = values.lane?.split(',') ?? [];
if (!(seconds > 0) || !Number.isInteger(Number(values.seed)) || wrong !== undefined) {
  const told = wrong === undefined ? '' : ` --${wrong[0]} is one of ${wrong[1].join(', ')}.`;
  console.error(`--minutes takes a number greater than 0, --seed a whole number.${told}`);
  process.exit(2);
}
if (lanes.length > 0 && values.application === 'playground' && values.database === 'postgres') {
  console.error(
    '--lane has no effect on the playground with PostgreSQL, which is tested in the front lane; leave it out.',
  );
  process.exit(2);
}
const known =
  values.application === 'foreign'
    ? ['front', 'route', 'repeatable']
    : ['front', 'route', 'own-functions', 'repeatable'];
if (!lanes.every((lane) => known.includes(lane))) {
  console.error(`--lane is "${values.lane}"; it takes ${known.join(', ')}, or several of them with commas between.`);
  process.exit(2);
}

const run = (title, project, file, environment, tests = '') => {
  console.log(`\n# ${title} (seed ${values.seed})`);
  const { status } = spawnSync('npx', ['vitest', 'run', '--project', project, file, '-t', tests], {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      REST_CACHE_TEST_PROVIDER: values.provider,
      ...(lanes.length > 0 ? { DIFFERENTIAL_LANES: values.lane } : {}),
      ...environment,
    },
  });
  if (status !== 0) process.exit(status ?? 1);
};

/** The tests that compare these reads, by their names. */
const comparing = { routes: 'answers (routes|20 users)', graphql: 'answers graphql' };

const foreign = () =>
  run(
    `the foreign application on ${values.database}`,
    'foreign',
    `tests/foreign/${values.database}`,
    {
      DIFFERENTIAL_SEED: values.seed,
      DIFFERENTIAL_SECONDS: String(seconds),
      DIFFERENTIAL_LANES: values.lane ?? 'front,route',
    },
    comparing[values.reads],
  );

const playground = () => {
  // Histories take a quarter of the time. There are none on MySQL.
  const histories = values.database === 'mysql' ? 0 : seconds / 4;
  const differential = seconds - histories;
  const historiesFor = {
    HISTORIES_SEED: values.seed,
    HISTORIES_SECONDS: String(histories),
    HISTORIES_OPERATIONS: '1000000000',
  };
  if (values.database === 'postgres') {
    run('differential on PostgreSQL', 'postgres', 'tests/histories/postgres-differential', {
      DIFFERENTIAL_SEED: values.seed,
      DIFFERENTIAL_SECONDS: String(differential * 2),
    });
    run('concurrent histories', 'postgres', 'tests/histories/never-behind', historiesFor);
  } else {
    const differentialFor = { DIFFERENTIAL_SEED: values.seed, DIFFERENTIAL_DATABASE: values.database };
    run(`differential on ${values.database}`, 'differential', 'tests/differential/never-stale', {
      ...differentialFor,
      DIFFERENTIAL_SECONDS: String(differential / 2),
    });
    // This test uses only half of the time it is given.
    run('URLs as chance has them', 'differential', 'tests/differential/any-urls', {
      ...differentialFor,
      DIFFERENTIAL_SECONDS: String(differential),
    });
    if (values.database === 'sqlite')
      run('concurrent histories', 'differential', 'tests/differential/concurrent-history', historiesFor);
  }
};

if (values.application === 'foreign') foreign();
else playground();
