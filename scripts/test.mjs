/**
 * Runs the tests.
 *
 *   npm test                    the quick ones: what a change to one line should pass, on SQLite and in memory
 *   npm run test:all            everything that a change has to pass
 *   npm run test:all -- --rest  what the quick command leaves out
 *
 * At the end it prints how many tests passed, how long each group took, and the ten slowest files.
 */

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const isCi = process.env.CI === 'true';
const { values: asked } = parseArgs({
  options: { all: { type: 'boolean', default: false }, rest: { type: 'boolean', default: false } },
});
const runsQuick = !asked.rest;
const runsRest = asked.all || asked.rest;

/**
 * A tenth of the cases of each property test, SQLite alone of the databases, and short runs of the drivers, whose hits
 * are answered in front. See tests/number-of-runs.ts and tests/unit/database/observed-database.ts.
 */
const QUICK = {
  REST_CACHE_TEST_QUICK: 'true',
  DIFFERENTIAL_SECONDS: '8',
  DIFFERENTIAL_LANES: 'front',
  HISTORIES_SECONDS: '5',
};

/** A Strapi under test waits often enough, for its database and its own timers, that three of them fill two cores. */
const THREE_AT_A_TIME = '--maxWorkers=3';

/** They have deadlines, and each starts servers of its own. */
const ONE_AT_A_TIME = '--no-file-parallelism';

const results = [];
const reports = mkdtempSync(path.join(tmpdir(), 'rest-cache-tests-'));
process.on('exit', () => rmSync(reports, { recursive: true, force: true }));

const secondsSince = (startedAt) => (Date.now() - startedAt) / 1000;

/** What vitest's report of a group says; nothing where the group ended before it wrote one. */
const reportIn = (file) => {
  if (!existsSync(file)) return {};
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults } = JSON.parse(
    readFileSync(file, 'utf8'),
  );
  return {
    passed: numPassedTests,
    failed: numFailedTests,
    skipped: numPendingTests + numTodoTests,
    files: testResults.map(({ name, startTime, endTime, status, assertionResults }) => ({
      name: path.relative(root, name),
      seconds: (endTime - startTime) / 1000,
      // A file that cannot be loaded fails without a test.
      isBroken: status === 'failed' && assertionResults.every(({ status: of }) => of !== 'failed'),
    })),
  };
};

/** How many applications startApplication has booted: it adds a line to the file for each. */
const bootsIn = (file) => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0);

const printSummary = () => {
  console.log('\n# seconds per group');
  for (const { title, seconds, boots = 0 } of results) {
    const booted = boots > 0 ? ` (${boots} Strapi applications booted)` : '';
    console.log(`${seconds.toFixed(0).padStart(5)}  ${title}${booted}`);
  }
  const files = results.flatMap((result) => result.files ?? []);
  console.log('\n# the ten slowest files, in seconds');
  for (const { name, seconds } of files.toSorted((one, other) => other.seconds - one.seconds).slice(0, 10)) {
    console.log(`${seconds.toFixed(1).padStart(6)}  ${name}`);
  }
  const sum = (of) => results.reduce((total, result) => total + (of(result) ?? 0), 0);
  const broken = files.filter(({ isBroken }) => isBroken).length;
  const without = results.filter(({ status, failed = 0 }) => status !== 0 && failed === 0).length;
  const failed = sum((result) => result.failed) + Math.max(broken, without);
  console.log(
    `\n${sum((result) => result.passed)} passed, ${failed} failed, ${sum((result) => result.skipped)} skipped`,
  );
};

const note = (title, status, startedAt, report = {}) => {
  const seconds = secondsSince(startedAt);
  results.push({ title, status, seconds, ...report });
  console.log(`# ${title}: ${status === 0 ? 'passed' : 'failed'} after ${seconds.toFixed(0)} s`);
  if (status === 0) return;
  printSummary();
  process.exit(status ?? 1);
};

const run = (title, command, args) => {
  const startedAt = Date.now();
  console.log(`\n# ${title}`);
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit', env: process.env });
  note(title, status, startedAt);
};

const outputOf = (command, args, env = process.env) =>
  new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, env });
    const chunks = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(chunk));
    // The first failure ends everything.
    const end = () => child.kill();
    process.once('exit', end);
    child.on('close', (status) => {
      process.off('exit', end);
      resolve({ status, output: Buffer.concat(chunks) });
    });
  });

/** Runs jobs at the same time: scripts that use one core each, or groups that mostly wait. Each prints at its end. */
const runTogether = (...jobs) =>
  Promise.all(
    jobs.map(async ({ title, command, args, env, report }) => {
      const startedAt = Date.now();
      const { status, output } = await outputOf(command, args, env);
      console.log(`\n# ${title}`);
      process.stdout.write(output);
      note(title, status, startedAt, report?.());
    }),
  );

const script = (title) => ({ title, command: 'npm', args: ['run', '--silent', title] });

const group = (title, projects, { options = [], environment = {} } = {}) => {
  const name = path.join(reports, projects.join('-') + results.length);
  const named = projects.flatMap((project) => ['--project', project]);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${name}.json`];
  return {
    title,
    command: 'npx',
    args: ['vitest', 'run', ...named, ...reporters, ...options],
    env: { ...process.env, ...environment, REST_CACHE_TEST_BOOTS: `${name}.boots` },
    report: () => ({ ...reportIn(`${name}.json`), boots: bootsIn(`${name}.boots`) }),
  };
};

const vitest = (...described) => {
  const { title, command, args, env, report } = group(...described);
  const startedAt = Date.now();
  console.log(`\n# ${title}`);
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit', env });
  note(title, status, startedAt, report());
};

const listens = (port) =>
  new Promise((resolve) => {
    const socket = net.connect({ host: '127.0.0.1', port, timeout: 1000 });
    const settle = (answer) => {
      socket.destroy();
      resolve(answer);
    };
    socket
      .once('connect', () => settle(true))
      .once('error', () => settle(false))
      .once('timeout', () => settle(false));
  });

const hasCommand = (name) => spawnSync('sh', ['-c', `command -v ${name}`]).status === 0;
const chromium = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);

/** Says which of the tests that need more than Node.js cannot run here; on CI none may be left out. */
const missingNeeds = async () => {
  const needs = [
    {
      groups: ['redis', 'processes'],
      met: hasCommand('redis-server'),
      hint: 'Redis (redis-server): apt-get install redis-server',
    },
    {
      groups: ['postgres', 'processes'],
      met: await listens(5432),
      hint: 'PostgreSQL on 127.0.0.1:5432 (trust): apt-get install postgresql',
    },
    {
      groups: ['mariadb'],
      met: await listens(3306),
      hint: 'MariaDB on 127.0.0.1:3306 (root, empty password): apt-get install mariadb-server',
    },
    {
      groups: ['edge'],
      met: ['varnishd', 'nginx'].every((name) => existsSync(`/usr/sbin/${name}`)),
      hint: 'Varnish with vmod_xkey and nginx: apt-get install varnish varnish-modules nginx-light',
    },
    { groups: ['browser'], met: chromium !== undefined, hint: 'Chromium: apt-get install chromium' },
  ];
  const unmet = needs.filter(({ met }) => !met);
  for (const { groups, hint } of unmet) {
    console.log(`${isCi ? 'Missing' : 'Skipping'} the ${groups.join(' and ')} tests: no ${hint}`);
  }
  if (isCi && unmet.length > 0) process.exit(1);
  return new Set(unmet.flatMap(({ groups }) => groups));
};

/** The tests of which the quick command tries a tenth of the cases, or one of the databases. All others are whole there. */
const shortened = () => [
  'tests/simulation/one-process.test.ts',
  'tests/simulation/several-processes.test.ts',
  ...readdirSync(path.join(root, 'tests/unit'), { recursive: true })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => path.join('tests/unit', name))
    .filter((name) => /numberOfRuns\(|describeOnEach[<(]/.test(readFileSync(path.join(root, name), 'utf8'))),
];

/** How the files of each database begin. */
const FOREIGN = {
  sqlite: 'tests/foreign/sqlite',
  postgres: 'tests/foreign/postgres',
  mariadb: 'tests/foreign/mysql',
};

if (runsQuick) {
  await runTogether(script('lint'), script('types'), script('format'));
  if (!runsRest) vitest('unit and simulation', ['unit', 'simulation'], { environment: QUICK });
  vitest('integration', ['integration', 'moving-over'], { options: [THREE_AT_A_TIME], environment: QUICK });
  if (!runsRest) {
    vitest('differential and foreign application, short', ['differential', 'foreign'], {
      options: ['tests/differential', FOREIGN.sqlite, THREE_AT_A_TIME],
      environment: QUICK,
    });
  }
}

if (runsRest) {
  const skipped = await missingNeeds();
  const isMet = (group) => !skipped.has(group);
  run('build', 'npm', ['run', '--silent', 'build']);
  await runTogether(script('verify'), script('check:package'), script('docs:build'));
  vitest('unit and simulation, all cases', ['unit', 'simulation'], {
    ...(runsQuick ? {} : { options: shortened(), environment: { REST_CACHE_TEST_REST: 'true' } }),
  });
  // Together, because each of their long files would leave a core idle at the end of a group of its own.
  const databases = ['sqlite', 'postgres', 'mariadb'].filter(isMet);
  const files = ['tests/differential', ...databases.map((name) => FOREIGN[name])];
  const ofPostgres = isMet('postgres') ? ['tests/histories', 'tests/postgres'] : [];
  vitest('differential and foreign application', ['differential', 'foreign', 'postgres'], {
    options: [...files, ...ofPostgres, THREE_AT_A_TIME],
  });
  const waiting = [
    group('redis', ['redis', 'redis-integration']),
    group('processes', ['processes']),
    group('edge', ['edge'], { options: [ONE_AT_A_TIME] }),
  ];
  // Bundling the panel takes one core, of which these leave enough.
  const panel = { title: 'admin panel', command: 'npx', args: ['tsx', 'tests/browser/build-panel.ts'] };
  await runTogether(...waiting.filter(({ title }) => isMet(title)), ...(isMet('browser') ? [panel] : []));
  // Browsers run against a clock, and need the machine to themselves.
  if (isMet('browser')) vitest('browser', ['browser']);
}

printSummary();
