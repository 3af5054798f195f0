/**
 * Runs the playground in production mode, in a process of its own: without test runner, TypeScript and admin panel, but
 * with the bench's additions in application/. Settings come as JSON in the first argument (see `StrapiSettings` in
 * strapi-process.ts). Sends `{ ready: port }` to its parent.
 */

import { cpSync, rmSync } from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { compiledPlayground } from '../application/compiled-playground.mjs';
import { bareHandler } from './bare-handlers.mjs';
import { edit } from './editing.mjs';
import { PluginSwitch } from './plugin-switch.mjs';
import { costOf, WRITE_KINDS } from './write-kinds.mjs';

const { playground, work, database, publicDirectory, middlewares, plugins, switchable } = JSON.parse(process.argv[2]);

const dist = path.join(work, 'dist');
const configure = compiledPlayground(playground, dist);
cpSync(fileURLToPath(new URL('application', import.meta.url)), dist, { recursive: true });
const file = path.join(work, 'data.db');
cpSync(database, file);

configure('server', `{ ...base, port: 0, dirs: { public: ${JSON.stringify(publicDirectory)} } }`);
if (middlewares !== undefined) configure('middlewares', JSON.stringify(middlewares));
if (plugins !== undefined)
  configure(
    'plugins',
    `{ 'users-permissions': base['users-permissions'], graphql: { enabled: false }, ...${JSON.stringify(plugins)} }`,
  );

Object.assign(process.env, {
  DATABASE_FILENAME: file,
  NODE_ENV: 'production',
  STRAPI_TELEMETRY_DISABLED: 'true',
});

const requireFromPlayground = createRequire(path.join(playground, 'package.json'));
// Strapi's ES module build loads only in a bundler.
const { createStrapi } = requireFromPlayground('@strapi/strapi');
/** The number of statements, counted at the driver: the plugin's own statements do not cause knex's events. */
let statements = 0;
const count = (prototype, method) => {
  const { [method]: original } = prototype;
  prototype[method] = function (...args) {
    statements += 1;
    return original.apply(this, args);
  };
};
count(requireFromPlayground('better-sqlite3').prototype, 'prepare');
count(requireFromPlayground('pg').Client.prototype, 'query');

const strapi = createStrapi({ appDir: playground, distDir: dist, serveAdminPanel: false });
const plugin = switchable === true ? new PluginSwitch(strapi) : undefined;
await strapi.load();
plugin?.load();
await strapi.listen();
plugin?.listen();
process.send?.({ ready: strapi.server.httpServer.address().port });

/** The questions that the bench asks the process in addition to HTTP requests. */
const answers = {
  usage: () => {
    const { user, system } = process.cpuUsage();
    return { cpu: user + system };
  },
  'write kinds': () => WRITE_KINDS,
  write: (kind) => costOf(strapi, kind, () => statements),
  edit: (turn) => edit(strapi, turn),
  'purge everything': () => strapi.plugin('rest-cache').service('cacheStore').reset(),
  'plugin on': () => plugin.turn(true),
  'plugin off': () => plugin.turn(false),
  'serve bare': (responses) => serveBare(responses),
};
process.on('message', async ({ id, ask, about }) => {
  try {
    process.send({ id, answer: await answers[ask](about) });
  } catch (error) {
    process.send({ id, error: error.stack });
  }
});
process.on('disconnect', () => end());

const end = () => {
  rmSync(work, { recursive: true, force: true });
  process.exit(0);
};

/** Starts a server that sends ready responses, in Strapi's process. Returns its port. */
const serveBare = async (responses) => {
  const server = http.createServer(bareHandler('http', responses));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server.address().port;
};
