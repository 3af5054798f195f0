import { expect, it } from 'vitest';
import { ORIGINS } from '../../../check/moves';
import { reportOptions } from '../../../check/option-report';

/** Fills in the same options as the class of @strapi-community/plugin-rest-cache 5.0.1. */
class CacheContentTypeConfig {
  readonly maxAge: boolean | number;
  readonly hitpass: boolean;
  readonly routes: readonly object[];
  constructor({ maxAge = true, hitpass = false, routes = [] }: Partial<CacheContentTypeConfig> = {}) {
    [this.maxAge, this.hitpass, this.routes] = [maxAge, hitpass, routes];
  }
}

class CacheRouteConfig {
  readonly path = '/api/boards/crew';
  readonly maxAge = 3_600_000;
  readonly hitpass = false;
}

const filledIn = (contentTypes: readonly object[]): readonly string[] | undefined =>
  reportOptions({ strategy: { contentTypes } }, ORIGINS[0] ?? { options: [] }).find(({ there }) =>
    there?.startsWith('its classes'),
  )?.options;

it('names what the classes of @strapi-community/plugin-rest-cache have filled in, which nobody has written', () => {
  expect(filledIn([new CacheContentTypeConfig({ routes: [new CacheRouteConfig()] })])).toEqual([
    'strategy.contentTypes[0].maxAge',
    'strategy.contentTypes[0].hitpass',
    'strategy.contentTypes[0].routes[0].maxAge',
    'strategy.contentTypes[0].routes[0].hitpass',
  ]);
  expect(filledIn([new CacheContentTypeConfig({ maxAge: 60_000, hitpass: true })])).toBeUndefined();
  expect(filledIn([{ maxAge: true, hitpass: false, routes: [{ maxAge: 3_600_000, hitpass: false }] }])).toBeUndefined();
});
