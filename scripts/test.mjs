/**
 * Runs everything that a change has to pass: format, lint, types, the links in the documentation, and all tests. It
 * prints which tests it skipped, and why.
 */

import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import net from 'node:net';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const isCi = process.env.CI === 'true';

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

/** What a group of tests needs besides Node.js, and how to install it. */
const needs = [
  {
    projects: ['redis', 'redis-integration', 'processes'],
    met: hasCommand('redis-server'),
    hint: 'Redis (redis-server): apt-get install redis-server',
  },
  {
    projects: ['postgres', 'processes'],
    met: await listens(5432),
    hint: 'PostgreSQL on 127.0.0.1:5432 (trust): apt-get install postgresql',
  },
  {
    projects: ['foreign on MariaDB'],
    met: await listens(3306),
    hint: 'MariaDB on 127.0.0.1:3306 (root, empty password): apt-get install mariadb-server',
  },
  {
    projects: ['edge'],
    met: ['varnishd', 'nginx'].every((name) => existsSync(`/usr/sbin/${name}`)),
    hint: 'Varnish with vmod_xkey and nginx: apt-get install varnish varnish-modules nginx-light',
  },
  { projects: ['browser'], met: chromium !== undefined, hint: 'Chromium: apt-get install chromium' },
];

const unmet = needs.filter(({ met }) => !met);
for (const { projects, hint } of unmet) {
  console.log(`${isCi ? 'Missing' : 'Skipping'} the ${projects.join(' and ')} tests: no ${hint}`);
}
if (isCi && unmet.length > 0) process.exit(1);
const skipped = new Set(unmet.flatMap(({ projects }) => projects));

const report = (title, status, startedAt) => {
  console.log(
    `# ${title}: ${status === 0 ? 'passed' : 'failed'} after ${((Date.now() - startedAt) / 1000).toFixed(0)} s`,
  );
  if (status !== 0) process.exit(status ?? 1);
};

const run = (title, command, args) => {
  const startedAt = Date.now();
  console.log(`\n# ${title}`);
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit', env: process.env });
  report(title, status, startedAt);
};

/** Runs scripts that use one core each at the same time. */
const runTogether = (...scripts) =>
  Promise.all(
    scripts.map((script) => {
      const startedAt = Date.now();
      const child = spawn('npm', ['run', '--silent', script], { cwd: root, env: process.env });
      const output = [];
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk));
      return new Promise((resolve) => {
        child.on('close', (status) => {
          console.log(`\n# ${script}`);
          process.stdout.write(Buffer.concat(output));
          report(script, status, startedAt);
          resolve();
        });
      });
    }),
  );

const vitest = (projects, ...options) => {
  const chosen = projects.filter((project) => !skipped.has(project));
  const named = chosen.flatMap((project) => ['--project', project]);
  if (chosen.length > 0) run(chosen.join(', '), 'npx', ['vitest', 'run', ...named, ...options]);
};

/** A Strapi under test waits often enough, for its database and its own timers, that three of them fill two cores. */
const THREE_AT_A_TIME = '--maxWorkers=3';

/** They have deadlines, and each starts servers of its own. */
const ONE_AT_A_TIME = '--no-file-parallelism';

/** Each test file of the foreign application is for one database. */
const foreign = () => {
  const databases = [
    'sqlite',
    ...(skipped.has('postgres') ? [] : ['postgres']),
    ...(skipped.has('foreign on MariaDB') ? [] : ['mysql']),
  ];
  vitest(['foreign'], ...databases.map((name) => `tests/foreign/${name}.test`), THREE_AT_A_TIME);
};

run('build', 'npm', ['run', '--silent', 'build']);
run('verify', 'npm', ['run', '--silent', 'verify']);
run('package', 'npm', ['run', '--silent', 'check:package']);
await runTogether('lint', 'types', 'docs:build');
// One group after the other: the Redis fault tests have deadlines, and the browser tests need the machine to
// themselves.
vitest(['unit']);
vitest(['simulation']);
vitest(['integration', 'differential', 'postgres'], THREE_AT_A_TIME);
foreign();
vitest(['redis', 'redis-integration']);
vitest(['processes']);
vitest(['edge'], ONE_AT_A_TIME);
vitest(['browser']);
