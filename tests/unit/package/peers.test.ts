import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const manifest = JSON.parse(readFileSync(path.resolve(import.meta.dirname, '../../../package.json'), 'utf8')) as {
  readonly dependencies: object;
  readonly peerDependencies: object;
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
