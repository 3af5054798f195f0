import { createRequire } from 'node:module';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { parsePathPattern } from '../../../server/src/config/route-matching';
import { numberOfRuns } from '../../number-of-runs';

/** The library that Strapi's router itself uses to parse patterns. */
const { pathToRegexp } = createRequire(createRequire(import.meta.url).resolve('@koa/router'))('path-to-regexp') as {
  pathToRegexp: (path: string, keys: Array<{ name: string | number }>) => RegExp;
};

/** A segment of a pattern, for any name of its parameter. */
type Segment = (name: string) => string;

const segment: fc.Arbitrary<Segment> = fc.oneof(
  fc.stringMatching(/^[a-z][a-z0-9._~-]{0,5}$/).map((text) => () => text),
  fc
    .tuple(
      fc.constantFrom('', '(\\d+)', '([a-z]{2})', '(a|b)', '((?:x|y)+)', '(\\(\\))'),
      fc.constantFrom('', '', '+', '*', '?'),
    )
    .map(
      ([pattern, modifier]) =>
        (name: string) =>
          `:${name}${pattern}${modifier}`,
    ),
  fc.constantFrom<Segment[]>(
    () => '(.*)',
    (name) => `:${name}-:${name}2`,
    (name) => `v:${name}(\\d+).:${name}2`,
    () => '(\\d+)x(\\d+)',
  ),
);
const segments = fc.array(segment, { minLength: 1, maxLength: 5 });
const name = fc.stringMatching(/^[A-Za-z_]\w{0,5}$/);

const write = (parts: readonly Segment[], prefix: string): string =>
  `/${parts.map((part, index) => part(`${prefix}${index}_`)).join('/')}`;

const URLS = ['/a', '/a/1', '/a/b', '/a/b/c', '/1x2', '/v1.2', '/x-y', '/a/1/2', '/', '/ab', '/x', '/()', '/A/B'];

const matches = (pattern: string): boolean[] => URLS.map((url) => pathToRegexp(pattern, []).test(url));

it('finds the parameters that path-to-regexp finds', () => {
  fc.assert(
    fc.property(segments, name, (parts, prefix) => {
      const pattern = write(parts, prefix);
      const keys: Array<{ name: string | number }> = [];
      pathToRegexp(pattern, keys);
      expect(parsePathPattern(pattern).parameters).toEqual(keys.map((key) => String(key.name)));
    }),
  );
});

describe('the shape', () => {
  it('stays the same, as do the URLs that match, whatever the names of the parameters', () => {
    fc.assert(
      fc.property(segments, name, name, fc.constantFrom('', '/'), (parts, one, other, slash) => {
        const pattern = write(parts, one) + slash;
        const spelling = write(parts, other) + slash;
        expect(parsePathPattern(spelling).shape).toBe(parsePathPattern(pattern).shape);
        expect(matches(spelling)).toEqual(matches(pattern));
      }),
    );
  });

  it('differs where the URLs that match differ', () => {
    const few = fc.array(
      fc.constantFrom(':x', ':y', ':x+', ':y*', ':x?', ':x(\\d+)', ':y(\\d+)', '(\\d+)', '(.*)', 'a', 'A', 'b'),
      { minLength: 1, maxLength: 3 },
    );
    fc.assert(
      fc.property(few, few, (one, other) => {
        const first = `/${one.join('/')}`;
        const second = `/${other.join('/')}`;
        if (parsePathPattern(first).shape === parsePathPattern(second).shape) {
          expect(matches(first)).toEqual(matches(second));
        }
      }),
      { numRuns: numberOfRuns(2000) },
    );
  });

  it.each([
    ['/api/Articles', '/api/articles'],
    ['/api/articles/', '/api/articles/'],
    ['/a/:id(\\d+)/b', '/a/:(\\d+)/b'],
    ['/a/:Name+', '/a/:+'],
    ['/a/(.*)', '/a/:(.*)'],
    ['/a/:b(([A-Z])|\\))?', '/a/:(([A-Z])|\\))?'],
    ['/a/\\:b', '/a/\\:b'],
    ['/', '/'],
    ['', '/'],
    ['/a/:', '/a/:'],
  ])('of %s is %s', (pattern, shape) => {
    expect(parsePathPattern(pattern).shape).toBe(shape);
  });
});
