import { named } from '../../../server/src/cache/sentence';
import type { Middleware } from 'koa';
import { describe, expect, it } from 'vitest';
import type { ResolvedStrategy } from '../../../server/src/config/resolved-config';
import { choose, unchosen, withdrawn } from '../../../server/src/lanes/choose';
import type { MiddlewareStack } from '../../../server/src/lanes/middleware-stack';

const listener = (): void => undefined;
const PATTERN = /^\/api\/tags$/;

/** A stack on which a middleware of each of these names stands, besides Strapi's own. */
const stackWith = (...names: readonly string[]): MiddlewareStack => {
  const own = new Map<Middleware, string>(names.map((name) => [(_ctx, next) => next(), name]));
  return {
    middlewares: [...own.keys()],
    configured: [{ name: 'strapi::errors', config: {} }],
    ownNames: [...own.values()],
    nameOf: () => undefined,
    ownNameOf: (middleware: Middleware) => own.get(middleware),
    describe: (middleware: Middleware) => own.get(middleware),
    soleListener: listener,
    patternsOf: (paths: readonly string[]) => (paths.includes('/api/gone') ? undefined : paths.map(() => PATTERN)),
    foreignOnRouter: () => [],
  } as unknown as MiddlewareStack;
};

const strategyOf = (strategy: object = {}, paths: readonly string[] = ['/api/tags']): ResolvedStrategy =>
  ({
    lane: 'auto',
    honorRequestCacheControl: false,
    repeatableMiddlewares: [],
    contentTypes: [{ routes: paths.map((path) => ({ path })) }],
    ...strategy,
  }) as unknown as ResolvedStrategy;

describe('the choice of the lane', () => {
  it('is in front where only Strapi stands, and shows there which requests are never cached', () => {
    expect(choose(stackWith(), strategyOf())).toMatchObject({
      lane: { mode: 'front' },
      origin: listener,
      isSurrounded: false,
      targets: [PATTERN],
      showsTarget: true,
    });
  });

  it('is on the route where something has to see every request, which is told', () => {
    const choice = choose(stackWith('plugin::audit.log'), strategyOf());
    expect(choice.lane).toMatchObject({ mode: 'route', blockedBy: { text: 'plugin::audit.log' } });
    expect(choice).toMatchObject({ origin: undefined, isSurrounded: true, showsTarget: false });
  });

  it.each([
    ['known', 'strapi-plugin-navigation', []],
    ['declared', 'global::locale', ['global::locale']],
  ])('is in front of one that is %s to be repeatable, behind which a path may be another', (_how, name, declared) => {
    const choice = choose(stackWith(name), strategyOf({ repeatableMiddlewares: declared }));
    expect(choice).toMatchObject({ lane: { mode: 'front' }, isSurrounded: true, showsTarget: false });
  });

  it('shows no target where the router lacks a cached route', () => {
    const choice = choose(stackWith(), strategyOf({}, ['/api/tags', '/api/gone']));
    expect(choice).toMatchObject({ lane: { mode: 'front' }, targets: [PATTERN], showsTarget: false });
  });

  it('is never changed, only replaced', () => {
    const choice = choose(stackWith('global::locale'), strategyOf({ repeatableMiddlewares: ['global::locale'] }));
    const after = withdrawn(choice, 'global::locale', named('reads the database'));
    expect([choice, after, unchosen('not yet')].every(Object.isFrozen)).toBe(true);
    expect(choice.lane.mode).toBe('front');
    expect(after).toMatchObject({ lane: { mode: 'route', blockedBy: { text: 'global::locale' } }, origin: undefined });
  });
});
