import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { KNOWN_REASONS } from '../../../admin/src/pages/known-reasons';

const codesIn = (folder: string): string[] => {
  const place = new URL(`../../../server/src/${folder}/`, import.meta.url);
  return readdirSync(place)
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(new URL(file, place), 'utf8'))
    .flatMap((text) => [
      ...text.matchAll(/(?:\bcode: |\bbecause\()'([a-z\d-]+)'(?: as const)?,\s*(?:directive,\s*)?(?:detail|[`'"\w])/g),
    ])
    .map(([, code = '']) => code);
};

it('every reason that the server counts has words in the panel', () => {
  const codes = new Set(['http', 'lanes', 'graphql', 'cache', 'monitor', 'background'].flatMap(codesIn));
  expect(codes.size).toBeGreaterThan(30);
  const wordless = [...codes].filter((code) => !KNOWN_REASONS.some((known) => known === code));
  expect(wordless).toEqual([]);
});

it('a client that has left is no entry that has left', () => {
  expect(codesIn('http')).not.toContain('gone');
});
