import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const manifest = JSON.parse(readFileSync(path.resolve(import.meta.dirname, '../../../package.json'), 'utf8')) as {
  readonly dependencies: object;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
};

/**
 * npm would install the newest copy beside an older Strapi's. Strapi recognises its errors by their classes, so a 403
 * became a 500.
 */
it('has no package manager install a copy of @strapi/utils', () => {
  expect(manifest.dependencies).not.toHaveProperty('@strapi/utils');
  expect(manifest.peerDependencies).toHaveProperty('@strapi/utils');
  expect(manifest.peerDependenciesMeta?.['@strapi/utils']?.optional).toBe(true);
});

/**
 * Strapi pins one release of each. npm refuses to install the plugin into an application whose Strapi pins one that the
 * plugin's peers exclude. Strapi 5.20.0 pins 2.0.0-rc.29, 5.36.0 pins 2.1.2.
 */
it('accepts the design system and the icons of the oldest Strapi that it is for', () => {
  expect(manifest.peerDependencies).toMatchObject({
    '@strapi/strapi': '^5.20.0',
    '@strapi/design-system': '^2.0.0-rc.29',
    '@strapi/icons': '^2.0.0-rc.29',
  });
});
