import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { digest, once } from '../application/build-step';
import { PLAYGROUND, ROOT } from '../application/paths';
import { hasChromium } from './chromium';

const execute = (command: string, args: string[], cwd: string): void => {
  const env = { ...process.env, NODE_ENV: 'production' };
  execFileSync(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
};

/** Builds the playground's admin panel for production, with the plugin in it. Takes one to two minutes. */
export default function preparePanel(): void {
  if (!hasChromium()) return;
  once(
    'write the declarations',
    digest('server/src/config', 'server/src/cache', 'provider-suite', 'package.json'),
    path.join(ROOT, 'dist/config/index.d.mts'),
    () => execute('node', ['scripts/finish-build.mjs'], ROOT),
  );
  once(
    'build the admin panel',
    digest('admin', 'playground/package.json', 'playground/src/admin'),
    path.join(PLAYGROUND, 'dist/build/index.html'),
    () => execute('npx', ['strapi', 'build', '--silent'], PLAYGROUND),
  );
}
