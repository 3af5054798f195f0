import { describe, expect, it } from 'vitest';

import { warningsOf } from './application';

const article = (settings: object) => ({
  contentType: 'api::article.article',
  injectDefaultRoutes: false,
  ...settings,
});
const featured = (settings: object) => [{ path: '/articles/featured', ...settings }];
const safe = { useAuth: true };
const unsafe = { useAuth: false };

const ADVICE =
  "but keys.useAuth is not true, so all callers share one response and one caller's response is served to others until it " +
  'expires. Set keys: { useAuth: true }, or hitpass: true.';
const OFF = 'hitpass is false, so requests with credentials are cached';
const FUNCTION = 'hitpass is a function, so requests with credentials are cached whenever it returns false';

const TYPE = `"api::article.article": ${OFF}, ${ADVICE}`;
const ROUTE = `GET /api/articles/featured ("api::article.article"): ${OFF}, ${ADVICE}`;

describe('warns where authenticated responses are cached without the caller in the key', () => {
  it.each<[description: string, strategy: object, expected: string[]]>([
    ['on the content type', { contentTypes: [article({ hitpass: false, routes: featured({}) })] }, [TYPE]],
    ['on the strategy', { hitpass: false, contentTypes: [article({ routes: featured({}) })] }, [TYPE]],
    [
      'on the strategy, for every type, be it only a uid',
      { hitpass: false, contentTypes: ['api::article.article', 'api::category.category'] },
      [TYPE, TYPE.replaceAll('article', 'category')],
    ],
    ['on the route', { contentTypes: [article({ routes: featured({ hitpass: false }) })] }, [ROUTE]],
    [
      'with a function',
      { contentTypes: [article({ hitpass: () => true, routes: featured({}) })] },
      [TYPE.replace(OFF, FUNCTION)],
    ],
    [
      'with a function on the strategy',
      { hitpass: async () => true, contentTypes: [article({ routes: featured({}) })] },
      [TYPE.replace(OFF, FUNCTION)],
    ],
    [
      'with a function on the route',
      { contentTypes: [article({ routes: featured({ hitpass: () => true }) })] },
      [ROUTE.replace(OFF, FUNCTION)],
    ],
    [
      'because keys of the type replace those of the strategy',
      { keys: safe, contentTypes: [article({ hitpass: false, keys: { useHeaders: [] }, routes: featured({}) })] },
      [TYPE],
    ],
    [
      'because the route says hitpass: false beside keys that replace those of the type',
      {
        contentTypes: [
          article({
            hitpass: false,
            keys: safe,
            routes: featured({ hitpass: false, keys: { useQueryParams: false } }),
          }),
        ],
      },
      [ROUTE],
    ],
    [
      'on the type and, where the route says so again, on the route',
      { contentTypes: [article({ hitpass: false, routes: featured({ keys: unsafe }) })] },
      [TYPE, ROUTE],
    ],
  ])('%s', (_description, strategy, expected) => {
    expect(warningsOf(strategy)).toEqual(expected);
  });
});

/** That it warns of nothing else: tests/unit/config/hitpass-ends-with-use-auth.test.ts, of all combinations. */
it('does not warn where nothing is cached', () => {
  expect(warningsOf({ hitpass: false, contentTypes: [] })).toEqual([]);
});
