import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { applicationCode } from '../../../server/src/plugin/fingerprint';

const made: string[] = [];
afterEach(() => made.splice(0).forEach((folder) => rmSync(folder, { recursive: true })));

const FILES = {
  'package-lock.json': '{"lockfileVersion":3}',
  'dist/src/api/article/controllers/article.js': 'one',
  'dist/src/index.js': 'two',
  'dist/config/middlewares.js': 'three',
  'dist/config/env/production/api.cjs': 'four',
  'src/plugins/charts/dist/server/index.js': 'five',
};

const codeOf = (files: Readonly<Record<string, string>>): Promise<string> => {
  const root = mkdtempSync(path.join(tmpdir(), 'application-code-'));
  made.push(root);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  }
  return applicationCode({
    root,
    src: path.join(root, 'dist/src'),
    config: path.join(root, 'dist/config'),
    // TypeScript does not compile the application's own plugins into `dist`: they run from `src`.
    plugins: ['src/plugins/charts', 'node_modules/some-plugin'].map((folder) => path.join(root, folder)),
  });
};

it('code counts as the same wherever the application lies, and in whatever order its files were written', async () => {
  const reversed = Object.fromEntries(Object.entries(FILES).reverse());
  expect(await codeOf(reversed)).toBe(await codeOf(FILES));
});

it.each([
  [{ 'dist/src/index.js': 'changed' }],
  [{ 'dist/src/api/article/controllers/article.js': 'changed' }],
  [{ 'dist/src/api/article/services/article.mjs': 'added' }],
  [{ 'dist/config/middlewares.js': 'changed' }],
  [{ 'dist/config/env/production/api.cjs': 'changed' }],
  [{ 'dist/src/api/article/countries.json': '{}' }],
  [{ 'src/plugins/charts/dist/server/index.js': 'changed' }],
  [{ 'package-lock.json': '{"lockfileVersion":4}' }],
  // The boundary between two files counts.
  [{ 'dist/src/index.js': 'tw', 'dist/src/indexa.js': 'o' }],
])('code counts as another with %j', async (change) => {
  expect(await codeOf({ ...FILES, ...change })).not.toBe(await codeOf(FILES));
});

it.each([
  ['dist/config/server.js'],
  ['dist/config/env/production/database.js'],
  ['dist/config/plugins.js'],
  ['dist/src/extensions/documentation/documentation/1.0.0/full_documentation.json'],
  ['dist/build/index.js'],
  ['dist/src/api/article/documentation/1.0.0/article.json'],
  ['src/plugins/charts/node_modules/lodash/index.js'],
  ['node_modules/some-plugin/dist/server/index.js'],
  ['README.md'],
])('code counts as the same with another %s', async (name) => {
  expect(await codeOf({ ...FILES, [name]: 'another' })).toBe(await codeOf(FILES));
});

it('code that is not there is left out', async () => {
  expect(await codeOf({})).toBe(await codeOf({ 'README.md': 'another' }));
});
