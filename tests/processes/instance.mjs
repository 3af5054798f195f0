/**
 * Runs the playground as one of several processes: in production mode, without admin panel, on a free port, with its
 * own configuration (environment variables choose database and Redis). Settings come as JSON in the first argument.
 * Sends `{ ready: port }` to its parent. It then runs the function bodies that the parent sends, with `strapi` and
 * `delay`, and sends back what they return.
 */

import { appendFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { compiledPlayground } from '../application/compiled-playground.mjs';

const { playground, work, publicDirectory, localCache, strategy, onRegister } = JSON.parse(process.argv[2]);

const dist = path.join(work, 'dist');
const configure = compiledPlayground(playground, dist);
configure('server', `{ ...base, port: 0, dirs: { public: ${JSON.stringify(publicDirectory)} } }`);
const configured = `base['rest-cache'].config`;
configure(
  'plugins',
  [
    ...(localCache === undefined ? [] : [`${configured}.provider.options.localCache = ${JSON.stringify(localCache)}`]),
    `Object.assign(${configured}.strategy, ${JSON.stringify(strategy ?? {})})`,
    'base',
  ].join(', '),
);

if (onRegister !== undefined) {
  const index = path.join(dist, 'src', 'index.js');
  appendFileSync(
    index,
    `\nexports.default.register = ({ strapi }) => (async () => {\n${onRegister}\n})();\nmodule.exports = exports.default;\n`,
  );
}

// Strapi's ES module build loads only in a bundler.
const { createStrapi } = createRequire(path.join(playground, 'package.json'))('@strapi/strapi');
const strapi = createStrapi({ appDir: playground, distDir: dist, serveAdminPanel: false });
const AsyncFunction = (async () => undefined).constructor;
process.on('message', async ({ id, body }) => {
  try {
    process.send?.({ id, answer: await new AsyncFunction('strapi', 'delay', body)(strapi, delay) });
  } catch (error) {
    process.send?.({ id, error: String(error?.stack ?? error) });
  }
});
await strapi.load();
await strapi.listen();
// On a busy machine, a connection would be closed just as the test uses it again.
strapi.server.httpServer.keepAliveTimeout = 10 * 60_000;
process.send?.({ ready: strapi.server.httpServer.address().port });
process.on('disconnect', () => process.exit(0));
