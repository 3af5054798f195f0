import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');
const SOURCES = path.join(ROOT, 'server/src');

const folders = readdirSync(SOURCES, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** Matches files of the server as the documentation names them, such as `lanes/route-lane.ts`. */
const SERVER_FILE = new RegExp(`\`((?:${folders.join('|')})/[\\w./-]+\\.(?:ts|lua))\``, 'g');

const pages = [
  'CONTRIBUTING.md',
  ...['docs', 'docs/internals'].flatMap((folder) =>
    readdirSync(path.join(ROOT, folder)).map((name) => `${folder}/${name}`),
  ),
].filter((name) => name.endsWith('.md'));

describe('files that the documentation names', () => {
  const named = pages.flatMap((page) =>
    [...readFileSync(path.join(ROOT, page), 'utf8').matchAll(SERVER_FILE)].map(([, file = '']) => ({ page, file })),
  );

  it('exist', () => {
    expect(named.length).toBeGreaterThan(40);
    // A file of the user's own, not of the server.
    const missing = named.filter(({ file }) => file !== 'config/plugins.ts' && !existsSync(path.join(SOURCES, file)));
    expect(missing).toEqual([]);
  });
});
