/**
 * Runs tests/processes/instrumentation.test.ts with the current npm releases of dd-trace and @sentry/node. They are too
 * heavy to be devDependencies, unlike OpenTelemetry. They are installed into a directory that is removed at the end.
 *
 *   node scripts/test-instrumentation.mjs
 */

import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const tracers = ['dd-trace', '@sentry/node'];

const run = (command, args, options) => spawnSync(command, args, { stdio: 'inherit', ...options }).status ?? 1;

const directory = await mkdtemp(path.join(os.tmpdir(), 'rest-cache-tracers-'));
try {
  await writeFile(path.join(directory, 'package.json'), '{ "private": true }');
  const installed = run('npm', ['install', '--no-audit', '--no-fund', ...tracers], { cwd: directory });
  process.exitCode =
    installed ||
    run('npx', ['vitest', 'run', '--project', 'processes', 'tests/processes/instrumentation.test.ts'], {
      cwd: root,
      env: { ...process.env, NODE_PATH: path.join(directory, 'node_modules') },
    });
} finally {
  await rm(directory, { recursive: true, force: true });
}
