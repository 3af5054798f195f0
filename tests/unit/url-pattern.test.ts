import fc from 'fast-check';
import { expect, it } from 'vitest';
import { numberOfRuns } from '../number-of-runs';
import { urlPattern } from '../../server/src/background/url-pattern';

// How long it takes is not asked, as a test that asserts a time fails under load. That nothing is tried twice shows in the code.

it.each<[pattern: string, url: string, expected: boolean]>([
  ['/api/articles', '/api/articles', true],
  ['/api/articles', '/api/articles?a=1', false],
  ['/api/articles/*', '/api/articles/', true],
  ['/api/articles/*', '/api/articles', false],
  ['*/one', '/api/one', true],
  ['/api/*?*x=*', '/api/articles?a=1&x=2', true],
  ['/api/*?*x=*', `/api/${'?'.repeat(30)}`, false],
  ['/api/a.b', '/api/axb', false],
  // The parts of a pattern do not share characters of a URL.
  ['/a*a', '/a', false],
  ['/ab*b*b', '/abb', false],
  ['/ab*b*b', '/abbb', true],
])('%s stands for %s: %j', (pattern, url, expected) => {
  expect(urlPattern(pattern)(url)).toBe(expected);
});

it('a pattern stands for what a regular expression of the same meaning does', () => {
  const text = (letters: string): fc.Arbitrary<string> =>
    fc.array(fc.constantFrom(...letters), { maxLength: 8 }).map((chosen) => chosen.join(''));
  fc.assert(
    fc.property(text('ab*'), text('ab'), (pattern, url) => {
      expect(urlPattern(pattern)(url)).toBe(new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(url));
    }),
    { numRuns: numberOfRuns(2000) },
  );
});
