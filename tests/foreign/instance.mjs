/**
 * Runs the foreign application in a process of its own. This is the uncached twin, which the plugin cannot affect in
 * any way. The first argument is the application's directory. The process sends `{ ready: port }` to its parent.
 */

import { createRequire } from 'node:module';

const [, , directory] = process.argv;
const { createStrapi } = createRequire(`${directory}/package.json`)('@strapi/strapi');

const strapi = createStrapi({ appDir: directory, distDir: directory, serveAdminPanel: false });
strapi.log.http = () => strapi.log;
await strapi.load();
await strapi.listen();
// On a busy machine, a connection would be closed just as the test uses it again.
strapi.server.httpServer.keepAliveTimeout = 10 * 60_000;
process.send({ ready: strapi.server.httpServer.address().port });

process.on('disconnect', () => process.exit(0));
