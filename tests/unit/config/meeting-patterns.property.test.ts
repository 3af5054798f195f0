import fc from 'fast-check';
import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { mayMeet } from '../../../server/src/config/route-matching';
import { numberOfRuns } from '../../number-of-runs';

/* Whether two patterns may match the same path, compared with what the router of Koa itself matches. */

interface Layer {
  readonly regexp: RegExp;
}

const Router = createRequire(import.meta.url)('@koa/router') as new () => {
  readonly stack: readonly Layer[];
  get(path: string, handler: () => void): void;
  use(path: string, handler: () => void): void;
};

const matches = (pattern: string, path: string): boolean => {
  const router = new Router();
  router.get(pattern, () => undefined);
  return router.stack[0]?.regexp.test(path) === true;
};

const SEGMENTS = ['a', 'ab', 'New', ':id', 'a:id', ':id?', ':rest*', '(.*)', 'a(.*)', ':n(\\d+)', '7'];

const patterns = fc.array(fc.constantFrom(...SEGMENTS), { maxLength: 4 }).map((parts) => {
  // A name may stand in a pattern once.
  const named = parts.map((part, place) => part.replace(/:(id|rest|n)/, `:$1${place}`));
  return `/${named.join('/')}`;
});

const paths = fc.array(fc.constantFrom('a', 'ab', 'abc', 'new', '7', '42'), { maxLength: 4 });

it('patterns that match the same path may meet', () => {
  fc.assert(
    fc.property(patterns, patterns, paths, (one, other, parts) => {
      const path = `/${parts.join('/')}`;
      fc.pre(matches(one, path) && matches(other, path));
      expect(mayMeet(one, other), `${one} and ${other} match ${path}`).toBe(true);
    }),
    { numRuns: numberOfRuns(3000) },
  );
});

it.each([
  ['/api/articles', '/api/authors'],
  ['/api/articles/:id', '/api/articles'],
  ['/api/articles/:id', '/api/articles/:id/drafts'],
  ['/admin([^/]*)', '/api/articles/:id'],
  ['/api/other:name', '/api/articles'],
])('%s and %s never meet', (one, other) => {
  expect([mayMeet(one, other), mayMeet(other, one)]).toEqual([false, false]);
});
