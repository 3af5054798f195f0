import type { Generation } from './generation';
import type { Misses } from './misses';
import { HOMEPAGE, LIST, MISSED } from './subjects';
import { overGenerations, ratioOf, type Ratio, type Turns } from './turns';

/** A ratio by its name, or one for each kind of write. */
export type Ratios = Readonly<Record<string, Ratio | Readonly<Record<string, Ratio>>>>;

const mean = (values: readonly number[]): number =>
  Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);

/** For hits: how many requests `name` answers while `base` answers one, with the same CPU time. */
const onList =
  (name: string, base: string) =>
  ({ hits }: Generation): number =>
    ratioOf(hits[LIST]?.[name] ?? {}, name, base);

/** The CPU time of a miss with the plugin, relative to the same request without it. */
const missRatio = (misses: Misses, name: string): number => ratioOf(misses[name] ?? {}, 'without', 'with');

export const missRatios = (measured: readonly Misses[]): Record<string, Ratio> =>
  Object.fromEntries(
    Object.keys(MISSED).map((name) => [name, overGenerations(measured.map((misses) => missRatio(misses, name)))]),
  );

/**
 * The ratios that are computed from one generation alone. Of `populateUncached`, `uniqueKeys` and the page loads, the base
 * is the same process without the plugin. A page load is twelve URLs, each populated by a middleware of its route.
 */
const ONE: Readonly<Record<string, (generation: Generation) => number>> = {
  /** A hit of a route with a function, compared with one of a route without; then with the same request uncached. */
  populate: onList('populate', 'route'),
  populateUncached: (generation) => 1 / onList('uncached', 'populate')(generation),
  policy: onList('policy', 'route'),
  ownMiddleware: onList('own global middleware', 'koa'),
  openTelemetry: onList('front traced', 'koa traced'),
  /**
   * Compared with the same hit in the same lane whose handler responds with an object; then with one that is not
   * compressed.
   */
  jsonText: onList('text', 'populate'),
  routeCompression: onList('compression', 'populate'),
  pageLoad: ({ pageLoad }) => ratioOf(pageLoad, 'cached', 'uncached'),
  pageLoadRepeatable: ({ pageLoad }) => ratioOf(pageLoad, 'repeatable', 'uncached'),
  uniqueKeys: ({ misses }) => mean(['list', 'homepage'].map((name) => 1 / missRatio(misses, name))),
};

/** How many hits a lane answers while bare Koa answers one request: the smaller of the ratios of the two bodies. */
const WORST: Readonly<Record<string, readonly [name: string, base: string]>> = {
  anonymous: ['front', 'koa'],
  anonymousLogged: ['logged', 'koa'],
  route: ['route', 'koa'],
  authenticated: ['authenticated', 'koa'],
  notModified: ['front 304', 'koa 304'],
  /** The upper limit of the two: node:http alone, in Strapi's process. */
  bareInStrapi: ['http in Strapi', 'koa'],
  bareInStrapiNotModified: ['http in Strapi 304', 'koa 304'],
};

/** The ratio of `name` to `base` on one path, over all generations. */
export const ratioOfHits = (generations: readonly Generation[], path: string, name: string, base: string): Ratio =>
  overGenerations(generations.map(({ hits }) => ratioOf(hits[path]?.[name] ?? {}, name, base)));

const mapped = <Value, Result>(
  values: Readonly<Record<string, Value>>,
  map: (value: Value) => Result,
): Readonly<Record<string, Result>> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));

/** The ratios that `npm run bench -- --quick` prints. */
export const ratiosOf = (generations: readonly Generation[]): Ratios => {
  const kinds = [...(generations[0]?.writes.keys() ?? [])];
  const perKind = (
    ratio: (turns: Turns, statements: Readonly<Record<string, number>>) => number,
  ): Record<string, Ratio> =>
    Object.fromEntries(
      kinds.map((kind) => [
        kind,
        overGenerations(
          generations.flatMap(({ writes }) => {
            const cost = writes.get(kind);
            return cost === undefined ? [] : [ratio(cost.turns, cost.statements)];
          }),
        ),
      ]),
    );
  return {
    ...mapped(WORST, ([name, base]) => {
      const list = ratioOfHits(generations, LIST, name, base);
      const homepage = ratioOfHits(generations, HOMEPAGE, name, base);
      return list.value < homepage.value ? list : homepage;
    }),
    ...mapped(ONE, (ratio) => overGenerations(generations.map(ratio))),
    misses: missRatios(generations.map(({ misses }) => misses)),
    /** The CPU time of a write with the plugin, relative to one without it; then the same for statements. */
    writes: perKind((turns) => ratioOf(turns, 'without', 'with')),
    statements: perKind((_turns, statements) => (statements.with ?? NaN) / (statements.without ?? NaN)),
  };
};

const rounded = (value: number): number => Math.round(value * 1000) / 1000;

const isOne = (ratio: Ratio | Readonly<Record<string, Ratio>>): ratio is Ratio => typeof ratio.value === 'number';

/** The ratios as plain numbers: their values or their spreads. */
export const plain = (ratios: Ratios, field: keyof Ratio): unknown =>
  mapped(ratios, (ratio) => (isOne(ratio) ? rounded(ratio[field]) : mapped(ratio, (one) => rounded(one[field]))));

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

/** One line for each ratio, with its spread. */
export const lines = (ratios: Ratios): string =>
  Object.entries(ratios)
    .flatMap(([name, ratio]) =>
      isOne(ratio)
        ? [[name, ratio] as const]
        : Object.entries(ratio).map(([kind, one]) => [`${name}: ${kind}`, one] as const),
    )
    .map(
      ([name, { value, spread }]) => `${name.padEnd(44)} ${value.toFixed(3).padStart(8)}   spread ${percent(spread)}`,
    )
    .join('\n');
