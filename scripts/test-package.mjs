/**
 * Packs the plugin and adds the tarball to a Strapi application outside this repository. It checks that the
 * application answers MISS, HIT and, after a write, MISS, and that it answers 400 to invalid purges: with
 * `strapi develop`, and built and started for production, with the built-in provider and with the one of
 * docs/custom-providers.md. Finally it deletes a cached content type under `strapi develop`. It also checks that an
 * older Strapi still has only one copy of @strapi/utils.
 *
 *   node scripts/test-package.mjs [npm|pnpm|yarn] [--strapi 5.20.0] [--node 22] [--js] [--postgres URL]
 *     [--override sharp@0.33.5] [--keep]
 *
 * `--node` takes that release from the npm package `node`. `--js` makes an application without TypeScript. `--postgres`
 * names an empty database to use instead of SQLite, whose driver aborts under Node.js 24 if it had to be compiled, with
 * or without the plugin. `--override` replaces a transitive dependency, such as the sharp of Strapi before 5.20, which
 * has to be loaded from GitHub. `--keep` leaves the application in place.
 */

import { spawn, spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));
const {
  positionals: [manager = 'npm'],
  values: { strapi: strapiVersion, node: nodeVersion, js: isJavaScript, override: overridden, postgres, keep },
} = parseArgs({
  allowPositionals: true,
  options: {
    strapi: { type: 'string' },
    node: { type: 'string' },
    js: { type: 'boolean', default: false },
    override: { type: 'string', multiple: true, default: [] },
    postgres: { type: 'string' },
    keep: { type: 'boolean', default: false },
  },
});

/** The commands with which each package manager installs the application's dependencies, and adds another. */
const COMMANDS = {
  npm: { install: ['npm', ['install']], add: ['npm', ['install']] },
  pnpm: {
    install: ['npx', ['--yes', 'pnpm@10', 'install', '--no-frozen-lockfile']],
    add: ['npx', ['--yes', 'pnpm@10', 'add']],
  },
  yarn: {
    install: ['npx', ['--yes', '@yarnpkg/cli-dist@4', 'install', '--no-immutable']],
    add: ['npx', ['--yes', '@yarnpkg/cli-dist@4', 'add']],
  },
};
if (!(manager in COMMANDS)) throw new Error(`"${manager}": expected one of ${Object.keys(COMMANDS).join(', ')}`);

/** Long enough that only an application that hangs reaches it. */
const startLimitMs = 420_000;

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
  ...(postgres === undefined ? {} : { DATABASE_URL: postgres }),
};

/** Purges as [expected status, with credentials, body]. */
const purges = [
  [403, false, { contentType: 'api::note.note' }],
  [400, true, {}],
  [400, true, { contentType: 'api::nothing.nothing' }],
  [400, true, { contentType: 'api::note.note', params: { nothing: 1 } }],
  [400, true, { contentType: 'api::note.note', wildcard: 'yes' }],
  [200, true, { contentType: 'api::note.note', params: { id: 1 } }],
];

/** Registers a visitor, whose role may purge in this application, and checks the status of each purge. */
const purge = async (title, api) => {
  const post = (path, body, headers) => fetch(api + path, json(body, headers));
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

/**
 * Repeats the request until `test` accepts the response. If that never happens, it throws with the application's
 * output.
 */
const until = async (title, application, url, test) => {
  const deadline = Date.now() + startLimitMs;
  for (;;) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer !== undefined && test(answer)) return;
    if (Date.now() > deadline || application.child.exitCode !== null || application.child.signalCode !== null)
      throw new Error(`${title}: ${url} was not answered as expected\n${application.output}`);
    await delay(250);
  }
};

/** Starts the application, calls `use`, and kills the application. */
const withApplication = async (title, node, cwd, args, env, use) => {
  const port = await freePort();
  const child = spawn(node, [path.join(cwd, 'node_modules/@strapi/strapi/bin/strapi.js'), ...args], {
    cwd,
    env: { ...environment, ...env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const application = { child, output: '', origin: `http://127.0.0.1:${port}` };
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (application.output += chunk));
  try {
    await until(title, application, `${application.origin}/_health`, ({ status }) => status === 204);
    await use(application);
  } finally {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // The application had already ended.
    }
  }
};

const json = (body, headers = {}) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

/** Checks the X-Cache of two reads, and of one more read after a write. */
const watch = async (title, { origin, output }) => {
  const notes = `${origin}/api/notes`;
  const read = async () => (await fetch(notes)).headers.get('x-cache');
  const seen = [await read(), await read()];
  const written = await fetch(notes, json({ data: { text: 'another' } }));
  if (!written.ok) throw new Error(`${title}: the write was answered with ${written.status}`);
  seen.push(await read());
  if (seen.join() !== 'MISS,HIT,MISS')
    throw new Error(`${title}: expected MISS,HIT,MISS but saw ${seen.join()}\n${output}`);
  console.log(`${title}: ${seen.join(', ')}`);
};

/** Deletes a content type as the Content-Type Builder does: Strapi removes its files and restarts. */
const deleteContentType = async (title, application) => {
  const { origin } = application;
  const admin = { email: 'admin@example.com', password: 'Passw0rd1', firstname: 'Ad', lastname: 'Min' };
  const { data } = await (await fetch(`${origin}/admin/register-admin`, json(admin))).json();
  const deleted = await fetch(`${origin}/content-type-builder/content-types/api::note.note`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${data.token}` },
  });
  if (!deleted.ok) throw new Error(`${title}: deleting was answered with ${deleted.status}`);
  await until(title, application, `${origin}/api/notes`, ({ status }) => status === 404);
  const warning = '"api::note.note" is not a content type of this application';
  if (!application.output.includes(warning)) throw new Error(`${title}: no warning\n${application.output}`);
  console.log(`${title}: the content type was deleted, the application goes on with a warning`);
};

/** Turns the application's TypeScript files into JavaScript, as in an application created without TypeScript. */
const makeJavaScript = async (application) => {
  for (const file of await readdir(application, { recursive: true })) {
    if (!file.endsWith('.ts')) continue;
    const source = path.join(application, file);
    const { outputText } = ts.transpileModule(await readFile(source, 'utf8'), {
      compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022, esModuleInterop: true },
    });
    await writeFile(source.replace(/\.ts$/, '.js'), outputText);
    await rm(source);
  }
  await rm(path.join(application, 'tsconfig.json'));
};

/** A test file that runs the provider suite with Node's own test runner. */
const PROVIDER_TEST = (file) => `import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { describeProvider } from 'strapi-plugin-response-cache/provider-suite';
import provider from '${file}';

const create = ({ clock }) => new provider.FileProvider(mkdtempSync(join(tmpdir(), 'provider-')), () => clock.now());
describeProvider({ name: 'file', create, describe, it });
`;

const directory = await mkdtemp(path.join(os.tmpdir(), 'rest-cache-package-'));
try {
  run('npm', ['run', '--silent', 'build'], { cwd: root });
  run('npm', ['pack', '--ignore-scripts', '--pack-destination', directory], { cwd: root });
  const tarball = (await readdir(directory)).find((name) => name.endsWith('.tgz'));

  let node = process.execPath;
  if (nodeVersion !== undefined) {
    run('npm', ['install', '--prefix', path.join(directory, 'node'), `node@${nodeVersion}`], { cwd: directory });
    const release = path.join(directory, 'node/node_modules/node');
    node = path.join(release, 'bin/node');
    environment.PATH = `${path.dirname(node)}${path.delimiter}${process.env.PATH}`;
    // Native modules must be compiled against the headers of the Node.js release that runs them.
    environment.npm_config_nodedir = path.join(release, `node_modules/node-${os.platform()}-${os.arch()}`);
  }

  const application = path.join(directory, 'application');
  await cp(path.join(root, 'tests/package/application'), application, { recursive: true });
  const example = await readFile(path.join(root, 'docs/examples/file-provider.ts'), 'utf8');
  await mkdir(path.join(application, 'src/cache'));
  await writeFile(
    path.join(application, 'src/cache/file-provider.ts'),
    example.replaceAll(/'\.\.\/\.\.\/server\/[^']+'/g, "'strapi-plugin-response-cache'"),
  );
  const manifest = JSON.parse(await readFile(path.join(application, 'package.json'), 'utf8'));
  if (strapiVersion !== undefined) {
    for (const name of ['@strapi/strapi', '@strapi/plugin-users-permissions'])
      manifest.dependencies[name] = strapiVersion;
  }
  if (postgres !== undefined) {
    delete manifest.dependencies['better-sqlite3'];
    manifest.dependencies.pg = '^8.16.0';
  }
  if (isJavaScript) {
    await makeJavaScript(application);
    delete manifest.devDependencies;
  }
  if (manager === 'pnpm') manifest.pnpm = { onlyBuiltDependencies: ['better-sqlite3', 'esbuild', '@swc/core'] };
  if (overridden.length > 0) {
    const overrides = Object.fromEntries(
      overridden.map((written) => [
        written.slice(0, written.lastIndexOf('@')),
        written.slice(written.lastIndexOf('@') + 1),
      ]),
    );
    if (manager === 'npm') manifest.overrides = overrides;
    if (manager === 'pnpm') manifest.pnpm.overrides = overrides;
    if (manager === 'yarn') manifest.resolutions = overrides;
  }
  if (manager === 'yarn') {
    manifest.dependenciesMeta = { 'better-sqlite3': { built: true } };
    const registry = run('npm', ['config', 'get', 'registry'], { cwd: directory }).trim();
    const settings = {
      nodeLinker: 'node-modules',
      enableScripts: true,
      enableTelemetry: false,
      npmRegistryServer: registry,
    };
    await writeFile(
      path.join(application, '.yarnrc.yml'),
      `${JSON.stringify({ ...settings, unsafeHttpWhitelist: [new URL(registry).hostname] })}\n`,
    );
  }
  await writeFile(path.join(application, 'package.json'), JSON.stringify(manifest, null, 2));

  const startedAt = Date.now();
  const inApplication = { cwd: application, env: environment };
  const { install, add } = COMMANDS[manager];
  run(...install, inApplication);
  // Not installed together with Strapi: only into an application that is there does npm refuse what its Strapi excludes.
  run(add[0], [...add[1], `strapi-plugin-response-cache@file:${path.join(directory, tarball)}`], inApplication);
  const language = isJavaScript ? 'JavaScript' : 'TypeScript';
  const version = (name) =>
    run(node, ['-p', `require('./node_modules/${name}/package.json').version`], inApplication).trim();
  const combination =
    `${manager}, Strapi ${version('@strapi/strapi')}, ` +
    `Node.js ${run(node, ['-p', 'process.versions.node']).trim()}, ${language}`;
  console.log(`${combination}: installed in ${((Date.now() - startedAt) / 1000).toFixed(0)} s`);

  // Strapi recognises its errors by their classes. With several copies of @strapi/utils, a 403 of the application
  // becomes a 500.
  const utilsOf = (name) =>
    run(
      node,
      [
        '-p',
        `require('fs').realpathSync(require.resolve('@strapi/utils', { paths: [require('fs').realpathSync('node_modules/${name}')] }))`,
      ],
      inApplication,
    ).trim();
  const [ofStrapi, ofUsersPermissions] = ['@strapi/strapi', '@strapi/plugin-users-permissions'].map(utilsOf);
  if (ofStrapi !== ofUsersPermissions)
    throw new Error(`two copies of @strapi/utils: ${ofStrapi} and ${ofUsersPermissions}`);

  const strapi = path.join(application, 'node_modules/@strapi/strapi/bin/strapi.js');
  run(node, [strapi, 'build'], { cwd: application, env: { ...environment, NODE_ENV: 'production' } });
  const compiled = isJavaScript ? './src/cache/file-provider' : './dist/src/cache/file-provider';
  await writeFile(path.join(application, 'provider.test.mjs'), PROVIDER_TEST(`${compiled}.js`));
  run(node, ['--test', 'provider.test.mjs'], inApplication);
  console.log("the documentation's provider passes the provider suite");

  const production = async (title, env) =>
    withApplication(title, node, application, ['start'], { NODE_ENV: 'production', ...env }, async (running) => {
      await watch(title, running);
      await purge(title, `${running.origin}/api`);
    });
  await production('strapi build && strapi start', {});
  for (const name of new Set(['./src/cache/file-provider', compiled])) {
    await production(`strapi start, provider ${name}`, { CACHE_PROVIDER: name });
  }
  const develop = ['develop', '--no-watch-admin'];
  await withApplication('strapi develop', node, application, develop, { NODE_ENV: 'development' }, async (running) => {
    await watch('strapi develop', running);
    await purge('strapi develop', `${running.origin}/api`);
    await deleteContentType('strapi develop', running);
  });
  console.log(`${combination}: passed`);
} finally {
  if (keep) console.log(`kept ${directory}`);
  else await rm(directory, { recursive: true, force: true });
}
