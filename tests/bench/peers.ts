import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ROOT } from '../application/paths';
import type { Applications } from './generation';
import { WITHOUT_LOG, type StrapiSettings } from './strapi-process';

const FOLDER = path.join(tmpdir(), 'rest-cache-bench-peers');
const COMMUNITY = '@strapi-community/plugin-rest-cache';
const MEMORY_PROVIDER = '@strapi-community/provider-rest-cache-memory';

/** Installs other cache plugins from npm into a folder of their own, which uses this project's copy of Strapi. */
const install = (): void => {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(path.join(FOLDER, 'package.json'), JSON.stringify({ name: 'peers', private: true }));
  if (!existsSync(path.join(FOLDER, 'node_modules', 'strapi-cache'))) {
    execFileSync(
      'npm',
      [
        'install',
        '--legacy-peer-deps',
        '--ignore-scripts',
        '--no-audit',
        '--no-fund',
        'strapi-cache@1.12.2',
        `${COMMUNITY}@5`,
        `${MEMORY_PROVIDER}@5`,
      ],
      {
        cwd: FOLDER,
        stdio: ['ignore', 'ignore', 'inherit'],
      },
    );
  }
  // Packages that the plugins expect from their application.
  const borrowed = path.join(FOLDER, 'node_modules', '@strapi');
  if (!existsSync(path.join(borrowed, 'strapi'))) {
    mkdirSync(borrowed, { recursive: true });
    for (const name of ['strapi', 'utils', 'types', 'database']) {
      if (!existsSync(path.join(borrowed, name)))
        symlinkSync(path.join(ROOT, 'node_modules', '@strapi', name), path.join(borrowed, name));
    }
  }
};

const installed = (name: string): string => path.join(FOLDER, 'node_modules', name);

const STRAPI_CACHE = 'strapi-cache 1.12.2';

const strapiCache = (provider: Record<string, unknown>): StrapiSettings => ({
  middlewares: WITHOUT_LOG,
  plugins: {
    'rest-cache': { enabled: false },
    'strapi-cache': {
      enabled: true,
      resolve: installed('strapi-cache'),
      config: {
        debug: false,
        max: 1000,
        ttl: 3_600_000,
        size: 1024 * 1024 * 1024,
        allowStale: false,
        cacheableRoutes: [],
        ...provider,
      },
    },
  },
});

/** Applications with these plugins, configured as their documentation says. */
export const peers = (redisUrl: string | undefined): Applications => {
  install();
  const contentTypes = ['api::article.article', 'api::homepage.homepage'];
  return {
    [STRAPI_CACHE]: strapiCache({ provider: 'memory' }),
    ...(redisUrl === undefined
      ? {}
      : { [`${STRAPI_CACHE}, Redis`]: strapiCache({ provider: 'redis', redisConfig: redisUrl }) }),
    [COMMUNITY]: {
      middlewares: WITHOUT_LOG,
      plugins: {
        'rest-cache': {
          enabled: true,
          resolve: installed(COMMUNITY),
          config: {
            provider: { name: installed(MEMORY_PROVIDER), options: { max: 32_767, maxAge: 3_600_000 } },
            strategy: { enableXCacheHeaders: true, enableEtag: true, contentTypes },
          },
        },
      },
    },
  };
};
