import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { digest, once } from '../application/build-step';
import { PLAYGROUND } from '../application/paths';
import { hasChromium } from './chromium';

/** Builds the playground's admin panel for production, with the plugin in it. Takes one to two minutes. */
export default function preparePanel(): void {
  if (!hasChromium()) return;
  once(
    'build the admin panel',
    digest('admin', 'playground/package.json', 'playground/src/admin'),
    path.join(PLAYGROUND, 'dist/build/index.html'),
    () =>
      execFileSync('npx', ['strapi', 'build', '--silent'], {
        cwd: PLAYGROUND,
        env: { ...process.env, NODE_ENV: 'production' },
        stdio: ['ignore', 'pipe', 'inherit'],
      }),
  );
}
