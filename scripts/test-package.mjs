/**
 * Packs the plugin, installs the tarball into a fresh Strapi application outside this repository, and watches it
 * answer MISS, HIT and, after a write, MISS, and 400 to purges that are none: in development, and built and started for
 * production. With an older Strapi there are two copies of @strapi/utils, Strapi's and the plugin's.
 *
 *   node scripts/test-package.mjs [npm|pnpm] [--strapi=5.20.0] [--keep]
 */

import { spawn, spawnSync } from 'node:child_process';
import { cp, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const manager = process.argv.includes('pnpm') ? 'pnpm' : 'npm';
const strapiVersion = process.argv.find((argument) => argument.startsWith('--strapi='))?.slice('--strapi='.length);
const keep = process.argv.includes('--keep');
const startLimitMs = 240_000;

const run = (command, args, options = {}) => {
  const { status, stdout } = spawnSync(command, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    ...options,
  });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}\n${stdout}`);
  return stdout;
};

const freePort = () =>
  new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

const environment = {
  ...process.env,
  JWT_SECRET: 'package-test-jwt',
  STRAPI_TELEMETRY_DISABLED: 'true',
  BROWSER: 'none',
  CI: 'true',
};

/** Purges, and how each is to be answered: without credentials first. */
const purges = [
  [403, false, { contentType: 'api::note.note' }],
  [400, true, {}],
  [400, true, { contentType: 'api::nothing.nothing' }],
  [400, true, { contentType: 'api::note.note', params: { nothing: 1 } }],
  [400, true, { contentType: 'api::note.note', wildcard: 'yes' }],
  [200, true, { contentType: 'api::note.note', params: { id: 1 } }],
];

/** Signs a visitor up, whose role the application lets purge, and compares the answers. */
const purge = async (title, api) => {
  const post = (path, body, headers = {}) =>
    fetch(api + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const name = `visitor${Date.now()}`;
  const account = { username: name, email: `${name}@example.com`, password: 'Passw0rd1' };
  const { jwt } = await (await post('/auth/local/register', account)).json();
  for (const [expected, signedIn, body] of purges) {
    const answer = await post('/rest-cache/purge', body, signedIn ? { authorization: `Bearer ${jwt}` } : {});
    const text = await answer.text();
    const told = answer.ok ? undefined : JSON.parse(text).error.status;
    if (answer.status !== expected || (told ?? expected) !== expected)
      throw new Error(`${title}: expected ${expected} for ${JSON.stringify(body)} but saw ${answer.status} ${text}`);
  }
  console.log(`${title}: purges answered ${purges.map(([status]) => status).join(', ')}`);
};

/** The X-Cache of two reads, and of one after a write. */
const watch = async (title, cwd, args, env) => {
  const port = await freePort();
  const child = spawn(process.execPath, [path.join(cwd, 'node_modules/@strapi/strapi/bin/strapi.js'), ...args], {
    cwd,
    env: { ...environment, ...env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const notes = `http://127.0.0.1:${port}/api/notes`;
  const read = async () => (await fetch(notes)).headers.get('x-cache');
  try {
    const deadline = Date.now() + startLimitMs;
    for (;;) {
      const health = await fetch(`http://127.0.0.1:${port}/_health`).catch(() => undefined);
      if (health?.status === 204) break;
      if (Date.now() > deadline || child.exitCode !== null) throw new Error(`${title} did not start:\n${output}`);
      await delay(250);
    }
    const seen = [await read(), await read()];
    const headers = { 'content-type': 'application/json' };
    const written = await fetch(notes, {
      method: 'POST',
      headers,
      body: JSON.stringify({ data: { text: 'another' } }),
    });
    if (!written.ok) throw new Error(`${title}: the write was answered with ${written.status}`);
    seen.push(await read());
    if (seen.join() !== 'MISS,HIT,MISS')
      throw new Error(`${title}: expected MISS,HIT,MISS but saw ${seen.join()}\n${output}`);
    console.log(`${title}: ${seen.join(', ')}`);
    await purge(title, `http://127.0.0.1:${port}/api`);
  } finally {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It had ended by itself.
    }
  }
};

const directory = await mkdtemp(path.join(os.tmpdir(), 'rest-cache-package-'));
try {
  run('npm', ['run', '--silent', 'build'], { cwd: root });
  run('npm', ['pack', '--ignore-scripts', '--pack-destination', directory], { cwd: root });
  const tarball = (await readdir(directory)).find((name) => name.endsWith('.tgz'));
  const application = path.join(directory, 'application');
  await cp(path.join(root, 'tests/package/application'), application, { recursive: true });
  const manifest = JSON.parse(await readFile(path.join(application, 'package.json'), 'utf8'));
  manifest.dependencies['strapi-plugin-response-cache'] = `file:${path.join(directory, tarball)}`;
  if (strapiVersion !== undefined) {
    for (const name of ['@strapi/strapi', '@strapi/plugin-users-permissions'])
      manifest.dependencies[name] = strapiVersion;
  }
  if (manager === 'pnpm') manifest.pnpm = { onlyBuiltDependencies: ['better-sqlite3', 'esbuild', '@swc/core'] };
  await writeFile(path.join(application, 'package.json'), JSON.stringify(manifest, null, 2));

  const startedAt = Date.now();
  if (manager === 'pnpm')
    run('npx', ['--yes', 'pnpm@10', 'install', '--no-frozen-lockfile'], { cwd: application, env: environment });
  else run('npm', ['install'], { cwd: application, env: environment });
  console.log(`installed with ${manager} in ${((Date.now() - startedAt) / 1000).toFixed(0)} s`);

  const copies = run('find', ['node_modules', '-path', '*/@strapi/utils/package.json'], { cwd: application });
  console.log(`copies of @strapi/utils: ${copies.trim().split('\n').length}`);

  const strapi = path.join(application, 'node_modules/@strapi/strapi/bin/strapi.js');
  run(process.execPath, [strapi, 'build'], { cwd: application, env: { ...environment, NODE_ENV: 'production' } });
  await watch(`${manager}, strapi build && strapi start`, application, ['start'], { NODE_ENV: 'production' });
  await watch(`${manager}, strapi develop`, application, ['develop', '--no-watch-admin'], { NODE_ENV: 'development' });
} finally {
  if (keep) console.log(`kept ${directory}`);
  else await rm(directory, { recursive: true, force: true });
}
