/**
 * The playground as one of several processes: in production mode, without admin panel, on a free port, with the
 * configuration it has (environment variables choose database and Redis). Settings come as JSON in the first argument;
 * sends `{ ready: port }`.
 */

import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const { playground, work, publicDirectory, localCache } = JSON.parse(process.argv[2]);

const dist = path.join(work, 'dist');
mkdirSync(dist, { recursive: true });
for (const part of ['config', 'src'])
  cpSync(path.join(playground, 'dist', part), path.join(dist, part), { recursive: true });

const extend = (name, expression) => {
  const own = path.join(dist, `playground-${name}.js`);
  const file = path.join(dist, 'config', `${name}.js`);
  cpSync(file, own);
  writeFileSync(
    file,
    `const own = require(${JSON.stringify(own)}).default;\nmodule.exports = (context) => { const base = own(context); ${expression}; return base; };\n`,
  );
};
extend('server', `Object.assign(base, { port: 0, dirs: { public: ${JSON.stringify(publicDirectory)} } })`);
if (localCache !== undefined) {
  extend('plugins', `base['rest-cache'].config.provider.options.localCache = ${JSON.stringify(localCache)}`);
}

// Strapi's ES module build does not load outside a bundler.
const { createStrapi } = createRequire(path.join(playground, 'package.json'))('@strapi/strapi');
const strapi = createStrapi({ appDir: playground, distDir: dist, serveAdminPanel: false });
await strapi.load();
await strapi.listen();
process.send?.({ ready: strapi.server.httpServer.address().port });
process.on('disconnect', () => process.exit(0));
