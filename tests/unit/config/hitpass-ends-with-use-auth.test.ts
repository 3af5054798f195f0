import { describe, expect, it } from 'vitest';

import { resolveConfig } from '../../../server/src/config/resolve';
import type { KeysConfig } from '../../../server/src/config/user-config';
import { application } from './application';

/**
 * Specification, "keys object", and what it leaves open: the meaning of an inherited `hitpass` on a level where
 * `useAuth` no longer applies. What the warning says: warns-of-what-disappoints.test.ts.
 */

const asked = () => false;

type Written = { readonly hitpass?: boolean | typeof asked; readonly keys?: KeysConfig };

const HITPASS: ReadonlyArray<Written> = [{}, { hitpass: true }, { hitpass: false }, { hitpass: asked }];
/** Keys that leave useAuth out say that it is false. */
const KEYS: ReadonlyArray<Written> = [
  {},
  { keys: { useAuth: true } },
  { keys: { useAuth: 'role' } },
  { keys: { useHeaders: ['x-tenant'] } },
];
const LEVELS: readonly Written[] = HITPASS.flatMap((hitpass) => KEYS.map((keys) => ({ ...hitpass, ...keys })));

/**
 * The settings that result from the levels, from the strategy down to the last one. They are computed from the whole
 * list of levels, which is not how the code does it.
 */
const expected = (levels: readonly Written[]) => {
  const useAuth = levels.map(
    (_, index) => levels.slice(0, index + 1).findLast(({ keys }) => keys !== undefined)?.keys?.useAuth ?? false,
  );
  const from = levels.findLastIndex(({ hitpass }) => hitpass !== undefined);
  const written = levels[from]?.hitpass ?? true;
  const since = useAuth
    .slice(Math.max(from, 0))
    .map((on) => (on === false ? '0' : '1'))
    .join('');
  const ended = written !== true && since.includes('10');
  return {
    hitpass: ended ? true : written,
    alsoHitpass: ended && written === asked ? asked : undefined,
    useAuth: useAuth.at(-1),
    endsHere: written !== true && since.indexOf('10') !== -1 && since.indexOf('10') === since.length - 2,
  };
};

describe('a hitpass that is inherited together with useAuth ends where useAuth does', () => {
  const facts = application({
    routes: application().routes.filter(({ path }) => ['/api/articles', '/api/articles/featured'].includes(path)),
  });
  const combinations = LEVELS.flatMap((strategy) =>
    LEVELS.flatMap((type) => LEVELS.map((route) => ({ strategy, type, route }))),
  );

  it(`in all ${combinations.length} combinations of three levels`, () => {
    const wrong: unknown[] = [];
    let ended = 0;
    let shared = 0;
    for (const { strategy, type, route } of combinations) {
      const { strategy: resolved, warnings } = resolveConfig(
        {
          strategy: {
            ...strategy,
            contentTypes: [
              { contentType: 'api::article.article', ...type, routes: [{ path: '/articles/featured', ...route }] },
            ],
          },
        },
        facts,
      );
      const found = resolved.contentTypes[0];
      const featured = found?.routes.find(({ path }) => path === '/api/articles/featured');
      const injected = found?.routes.find(({ path }) => path === '/api/articles');
      const ofType = expected([strategy, type]);
      const ofRoute = expected([strategy, type, route]);
      const isAsExpected =
        found?.hitpass === ofType.hitpass &&
        found.keys.useAuth === ofType.useAuth &&
        injected?.hitpass === ofType.hitpass &&
        injected.alsoHitpass === ofType.alsoHitpass &&
        injected.keys.useAuth === ofType.useAuth &&
        featured?.hitpass === ofRoute.hitpass &&
        featured.alsoHitpass === ofRoute.alsoHitpass &&
        featured.keys.useAuth === ofRoute.useAuth;
      const ends = warnings.filter(({ text }) => /Write useAuth: (?:true|'role') into these keys/.test(text)).length;
      const isWarned = ends === Number(ofType.endsHere) + Number(ofRoute.endsHere);
      // Sharing entries between callers with credentials has to be configured explicitly, and causes a warning.
      const isShared = [ofType, ofRoute].some(({ hitpass, useAuth }) => hitpass !== true && useAuth === false);
      const isToldShared = isShared === warnings.some(({ text }) => text.includes('all callers share one response'));
      if (!isAsExpected || !isWarned || !isToldShared) wrong.push({ strategy, type, route, featured, warnings });
      ended += ends;
      shared += Number(isShared);
    }
    expect(wrong).toEqual([]);
    expect(ended).toBeGreaterThan(100);
    expect(shared).toBeGreaterThan(100);
  }, 60_000);
});
