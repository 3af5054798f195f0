/**
 * The foreign application as a process of its own: the uncached twin, which nothing of the plugin can touch. The first
 * argument is its directory; sends `{ ready: port }`.
 */

import { createRequire } from 'node:module';

const [, , directory] = process.argv;
const { createStrapi } = createRequire(`${directory}/package.json`)('@strapi/strapi');

const strapi = createStrapi({ appDir: directory, distDir: directory, serveAdminPanel: false });
strapi.log.http = () => strapi.log;
await strapi.load();
await strapi.listen();
process.send({ ready: strapi.server.httpServer.address().port });

process.on('disconnect', () => process.exit(0));
