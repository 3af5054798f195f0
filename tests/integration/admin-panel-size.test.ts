import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { ROOT } from '../application/paths';

/** How many bytes, compressed, the plugin may add to the panel before one of its views is opened. */
const BUDGET = 60_000;

/** A file of the build with all its static imports. Its dynamic imports are loaded only with a view. */
const withStaticImports = (file: string, seen = new Set<string>()): Set<string> => {
  if (seen.has(file)) return seen;
  seen.add(file);
  const source = readFileSync(file, 'utf8');
  for (const [, specifier = ''] of source.matchAll(
    /(?:^|[;\n])\s*(?:import|export)\b[^"'()]*?from\s*["'](\.[^"']+)["']/g,
  )) {
    withStaticImports(path.resolve(path.dirname(file), specifier), seen);
  }
  return seen;
};

it('adds little to the admin panel before a view of it is opened', () => {
  const files = [...withStaticImports(path.join(ROOT, 'dist/admin/index.mjs'))];
  expect(files.length).toBeGreaterThan(1);
  expect(files.join()).not.toContain('settings-page');
  const bytes = files.reduce((sum, file) => sum + gzipSync(readFileSync(file)).byteLength, 0);
  console.log(`the plugin adds ${(bytes / 1000).toFixed(1)} kB (gzip) to the panel before a view is opened`);
  expect(bytes).toBeLessThan(BUDGET);
});
