import { probeApi, type Probe, type ProbeRoute } from '../../application/probe';

/** Where an application's code runs: in front of the cache, or `around` it after the route has finished. */
export type Place = 'policy' | 'route' | 'global' | 'used' | 'router' | 'around';

/** A policy and a middleware of the application that run a piece of code, whose result is left in `ctx.state.read`. */
interface CodeInFront {
  readonly probe: Probe;
  readonly files: Readonly<Record<string, string>>;
  /** The path of the route for which the code with this index runs at this place. */
  pathOf(place: Place, index: number): string;
}

/** @param name of the policy and the middleware, and of their routes. */
export const codeInFront = (
  name: string,
  code: readonly string[],
  places: readonly Place[],
  handler: ProbeRoute['handler'],
): CodeInFront => {
  const pathOf = (place: Place, index: number): string => `/probe/${name}/${place}/${index}`;
  const configOf = (place: Place, way: number): Record<string, unknown> => ({
    auth: false,
    ...(place === 'policy' ? { policies: [{ name: `global::${name}`, config: { way } }] } : {}),
    ...(place === 'route' ? { middlewares: [{ name: `global::${name}`, config: { way } }] } : {}),
    ...(place === 'around' ? { middlewares: [{ name: `global::${name}`, config: { way, after: true } }] } : {}),
  });
  const routes = places.flatMap((place) =>
    code.map((_, way) => ({ path: pathOf(place, way), handler, config: configOf(place, way) })),
  );
  const probe = probeApi(routes);
  return {
    probe,
    files: {
      ...probe.files,
      [`src/${name}.js`]: `module.exports = [${code.map((way) => `(ctx) => (${way})`).join(',\n')}];`,
      [`src/policies/${name}.js`]: `const ways = require('../${name}.js');
        module.exports = async ({ request, state }, { way }) => {
          await null;
          state.read = ways[way](request.ctx);
          return true;
        };`,
      [`src/middlewares/${name}.js`]: `const ways = require('../${name}.js');
        module.exports = ({ way, after }) => async (ctx, next) => {
          await null;
          const own = way ?? /^\\/api\\/probe\\/${name}\\/global\\/(\\d+)/.exec(ctx.path)?.[1];
          if (own !== undefined && !after) ctx.state.read = ways[own](ctx);
          await next();
          if (own !== undefined && after) ctx.set('X-Read', encodeURIComponent(String(ways[own](ctx))));
        };`,
    },
    pathOf: (place, index) => `/api${pathOf(place, index)}`,
  };
};
