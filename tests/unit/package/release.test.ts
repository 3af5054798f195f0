import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const checkout = mkdtempSync(path.join(os.tmpdir(), 'rest-cache-release-'));
afterAll(() => rmSync(checkout, { recursive: true }));

const ADDRESSES = {
  repository: { type: 'git', url: 'git+https://git.example/somebody/rest-cache.git' },
  homepage: 'https://rest-cache.example',
  bugs: { url: 'https://git.example/somebody/rest-cache/issues' },
  author: 'Somebody',
};

mkdirSync(path.join(checkout, 'scripts'));
for (const name of ['release-check.mjs', 'absolute-links.mjs'])
  cpSync(path.join(ROOT, 'scripts', name), path.join(checkout, 'scripts', name));

const manifest = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as Record<string, unknown>;

const check = (given: object, changelog: string, tag: string): { status: number | null; said: string } => {
  writeFileSync(path.join(checkout, 'package.json'), JSON.stringify({ ...manifest, version: '1.0.0', ...given }));
  writeFileSync(path.join(checkout, 'CHANGELOG.md'), changelog);
  const { status, stderr } = spawnSync(process.execPath, ['scripts/release-check.mjs', tag], {
    cwd: checkout,
    encoding: 'utf8',
  });
  return { status, said: stderr };
};

it('refuses what lacks its addresses, its date or the tag of its version, and names all of them', () => {
  const none = Object.fromEntries(Object.keys(ADDRESSES).map((name) => [name, undefined]));
  const { status, said } = check(none, '## 1.0.0 - not released yet', 'v1.0.1');
  expect(status).toBe(1);
  for (const name of [...Object.keys(ADDRESSES), 'CHANGELOG.md', '"v1.0.1" is not v1.0.0'])
    expect(said).toContain(name);
});

it('lets pass what has them', () => {
  expect(check(ADDRESSES, '# Changelog\n\n## 1.0.0 - 2027-01-31\n', 'v1.0.0')).toEqual({ status: 0, said: '' });
});

it("the README's links lead to the tag in the repository", () => {
  check(ADDRESSES, '', '');
  cpSync(path.join(ROOT, 'README.md'), path.join(checkout, 'README.md'));
  spawnSync(process.execPath, ['scripts/absolute-links.mjs'], { cwd: checkout });
  const readme = readFileSync(path.join(checkout, 'README.md'), 'utf8');
  const place = 'https://git.example/somebody/rest-cache/blob/v1.0.0';
  expect(readme).toContain(`(${place}/docs/redis.md)`);
  expect(readme).toContain(`(${place}/docs/what-is-observed.md#what-is-observed)`);
  expect([...readme.matchAll(/\]\((?!https:|#)[^)]*\)/g)].map(([link]) => link)).toEqual([]);
});
