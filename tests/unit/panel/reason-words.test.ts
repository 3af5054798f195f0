import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { bareDetail } from '../../../admin/src/pages/bare-detail';
import { KNOWN_REASONS } from '../../../admin/src/pages/known-reasons';

/** Reasons of requests of the plugin's own, which are not counted. */
const NEVER_COUNTED: readonly string[] = ['other-key', 'stopping'];

const codesIn = (folder: string): string[] => {
  const place = new URL(`../../../server/src/${folder}/`, import.meta.url);
  return readdirSync(place)
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(new URL(file, place), 'utf8'))
    .flatMap((text) => [...text.matchAll(/\bcode: '([a-z\d-]+)'(?: as const)?,\s*(?:directive,\s*)?detail/g)])
    .map(([, code = '']) => code);
};

it('every reason that the server counts has words in the panel', () => {
  const codes = new Set(['http', 'lanes', 'graphql', 'cache', 'monitor', 'background'].flatMap(codesIn));
  expect(codes.size).toBeGreaterThan(30);
  const wordless = [...codes].filter((code) => !KNOWN_REASONS.some((known) => known === code));
  expect(wordless).toEqual(NEVER_COUNTED.filter((code) => codes.has(code)));
});

it('a client that has left is no entry that has left', () => {
  expect(codesIn('http')).not.toContain('gone');
});

it.each([
  ['throws ValidationError (400)', 'ValidationError (400)'],
  ['status 404', '404'],
  ['request Cache-Control: no-cache', 'Cache-Control: no-cache'],
  [
    'reads x-shop, x-b (in its policy global::looks) of the request, not in the key: see keys.useHeaders and keys.ignoreHeaders',
    'x-shop, x-b (in its policy global::looks)',
  ],
  [
    'may show traceparent of the request, read in global::log, not in the key: see keys.useHeaders and keys.ignoreHeaders',
    'traceparent',
  ],
  [
    'reads the parameter page (in its policy global::looks), not in keys.useQueryParams',
    'page (in its policy global::looks)',
  ],
  ['sees parameters that are not in the key: ctx.URL could not be changed', 'ctx.URL'],
  ['an authentication strategy reads x-api-key, not in the key', 'x-api-key'],
  ['replaces res.writeHead, so its answer is not final', 'res.writeHead'],
  ['Query.tags has policies or middlewares', 'Query.tags'],
  ['Content-Length set by the handler', 'Content-Length'],
  ['Vary: *', 'Vary: *'],
])('%s names %s', (detail, named) => {
  expect(bareDetail(detail)).toBe(named);
});
