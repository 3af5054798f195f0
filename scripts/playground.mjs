/** Builds the plugin and the playground application, and starts the playground as a production server. */

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const playground = path.join(root, 'playground');
const envFile = path.join(playground, '.env');
/** Of the API token that may do everything. The token itself has 256 characters. */
const tokenFile = path.join(playground, '.tmp', 'api-token');
const account = { email: 'admin@example.com', password: 'Passw0rd1' };
const graceMs = 10_000;

const say = (text) => console.log(`\n${text}`);

const fail = (text, code = 1) => {
  console.error(`\n${text}`);
  process.exit(code);
};

const ensureEnv = async () => {
  if (existsSync(envFile)) return;

  const example = await readFile(path.join(playground, '.env.example'), 'utf8');
  const secret = () => randomBytes(24).toString('base64url');
  const filled = example.replace(
    /^(\w+)=$/gm,
    (line, name) => line + (name === 'APP_KEYS' ? [secret(), secret()] : secret()),
  );
  await writeFile(envFile, filled, { mode: 0o600 });
  say('Wrote playground/.env with fresh secrets.');
};

/** The host and port at which the server will listen, and the origin under which this machine reaches it. */
const readAddress = async () => {
  const settings = { ...parseEnv(await readFile(envFile, 'utf8')), ...process.env };
  const host = settings.HOST || '127.0.0.1';
  const port = Number(settings.PORT || 1337);
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return { host, port, origin: `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}` };
};

const checkPort = ({ host, port }) =>
  new Promise((resolve) => {
    const probe = net.createServer();
    probe.once('error', (error) =>
      fail(
        error.code === 'EADDRINUSE'
          ? `Port ${port} of ${host} is taken. Stop what listens there, or choose another: PORT=${port + 1} npm run playground`
          : `Cannot listen on ${host}:${port}: ${error.message}`,
      ),
    );
    probe.listen(port, host, () => probe.close(resolve));
  });

let child;

const start = (command, args, options) => {
  child = spawn(command, args, { stdio: 'inherit', ...options });
  const started = child;
  return new Promise((resolve, reject) => {
    started.once('error', reject);
    started.once('exit', (code, signal) => resolve(code ?? 128 + os.constants.signals[signal]));
  });
};

/** Says every ten seconds that a build is still running. What the build itself prints is shown only if it fails. */
const build = async (title, command, args, options) => {
  say(title);
  const startedAt = Date.now();
  const seconds = () => `${Math.round((Date.now() - startedAt) / 1000)} s`;
  const progress = setInterval(() => console.log(`  still building after ${seconds()}`), 10_000);
  const output = [];
  const ended = start(command, args, { ...options, stdio: ['inherit', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk));
  const code = await ended;
  clearInterval(progress);
  if (code === 0) return console.log(`  done after ${seconds()}`);
  process.stdout.write(Buffer.concat(output));
  return fail(`Stopped: "${title}" ended with exit code ${code}.`, code);
};

/** Strapi tells each step of its migrations of an empty database, which is no news in a fresh playground. */
const isNews = (line) => !/\[(internal migration|discard-drafts)\]/.test(line);

const startStrapi = (command, args, options) => {
  const ended = start(command, args, { ...options, stdio: ['inherit', 'pipe', 'inherit'] });
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (isNews(line)) console.log(line);
  });
  return ended;
};

const stopOn = (signal) =>
  process.once(signal, () => {
    // Ctrl-C in a terminal also reaches the child directly; a kill of this process alone does not. Strapi ignores the
    // second signal.
    child?.kill(signal);
    setTimeout(() => child?.kill('SIGKILL'), graceMs).unref();
  });

const json = async (url, { token, body } = {}) => {
  const response = await fetch(url, {
    method: body ? 'POST' : 'GET',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: body && JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${response.status} from ${url}`);
  return (await response.json()).data;
};

/**
 * A command line that edits an article. It gets the API token from the admin API, with the account made at the first
 * boot.
 */
const editingLine = async (origin) => {
  try {
    const { token } = await json(`${origin}/admin/login`, { body: account });
    const tokens = await json(`${origin}/admin/api-tokens`, { token });
    const { id } = tokens.find(({ name }) => name === 'playground');
    const { accessKey } = await json(`${origin}/admin/api-tokens/${id}`, { token });
    await writeFile(tokenFile, accessKey, { mode: 0o600 });
    const [article] = await json(`${origin}/api/articles?fields=title&pagination[pageSize]=1`);

    return [
      `curl -s -o /dev/null -w '%{http_code}\\n' -X PUT '${origin}/api/articles/${article.documentId}'`,
      `-H 'Content-Type: application/json' -d '{"data":{"views":1}}' -H "Authorization: Bearer $(cat '${tokenFile}')"`,
    ].join(' ');
  } catch {
    return `# edit and publish an article in the admin panel, ${origin}/admin`;
  }
};

const invite = async (origin) => {
  const reading = `curl -sg -o /dev/null -D - '${origin}/api/articles?pagination[pageSize]=3' | grep -i x-cache`;
  const asking = `curl -s -o /dev/null -D - '${origin}/graphql' -H 'Content-Type: application/json' -d '{"query":"{ articles { title author { name } } }"}' | grep -i x-cache`;
  const editing = await editingLine(origin);

  say(`Admin panel: ${origin}/admin   (${account.email} / ${account.password})

Try it in another terminal.

1. MISS the first time:
${reading}

2. The same again, a HIT:
${reading}

3. Edits an article, after which line 1 is a MISS again:
${editing}

4. By GraphQL, a MISS the first time and a HIT the second:
${asking}

Ctrl-C stops the server.`);
};

const isHealthy = (origin) =>
  fetch(`${origin}/_health`).then(
    (response) => response.ok,
    () => false,
  );

await ensureEnv();
const address = await readAddress();
await checkPort(address);
stopOn('SIGINT');
stopOn('SIGTERM');

if (process.env.PLAYGROUND_SKIP_PLUGIN_BUILD) {
  say('PLAYGROUND_SKIP_PLUGIN_BUILD is set: using the plugin as it was last built.');
} else {
  const npm = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ['npm'];
  await build('Building the plugin', npm[0], [...npm.slice(1), 'run', 'build'], { cwd: root });
}

const strapi = path.join(
  path.dirname(createRequire(path.join(playground, 'package.json')).resolve('@strapi/strapi/package.json')),
  'bin',
  'strapi.js',
);
const production = { cwd: playground, env: { ...process.env, NODE_ENV: 'production' } };

await build('Building the playground and its admin panel', process.execPath, [strapi, 'build'], production);

// The port may have been taken during the builds.
await checkPort(address);
say('Starting the playground');
let running = true;
const ended = startStrapi(process.execPath, [strapi, 'start'], production).finally(() => (running = false));

while (running && !(await isHealthy(address.origin))) await delay(300);
if (running) await invite(address.origin);

process.exit(await ended);
