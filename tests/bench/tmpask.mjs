/**
 * What the admin panel's requests cost beside visitors, with 32,000 responses of 20 kB: `node tests/bench/panel.mjs`.
 * Vite loads the sources, because Redis' scripts are imported as texts.
 */

import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';

const vite = await createServer({
  root: fileURLToPath(new URL('.', 'file:///work/main/')),
  configFile: false,
  logLevel: 'error',
  optimizeDeps: { noDiscovery: true },
  server: { middlewareMode: true, watch: null, hmr: false, ws: false },
});
const { main } = await vite.ssrLoadModule('/@fs/tmp/rs/ask.ts');
await main(process.argv.slice(2));
await vite.close();
process.exit(0);
