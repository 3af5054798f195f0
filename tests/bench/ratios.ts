import type { Generation } from './generation';
import { HOMEPAGE, LIST, PATHS } from './subjects';
import { overGenerations, ratioOf, type Ratio, type Turns } from './turns';

/** A ratio by its name, or one for each kind of write. */
export type Ratios = Readonly<Record<string, Ratio | Readonly<Record<string, Ratio>>>>;

const mean = (values: readonly number[]): number =>
  Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);

/** Of hits: how many `name` answers where `base` answers one, with the same CPU time. */
const onList =
  (name: string, base: string) =>
  ({ hits }: Generation): number =>
    ratioOf(hits[LIST]?.[name] ?? {}, name, base);

/** Each in one generation. */
const ONE: Readonly<Record<string, (generation: Generation) => number>> = {
  /** An inner lane's hit, of a router lane's; and of the same request without the plugin. */
  populate: onList('populate', 'router'),
  populateUncached: (generation) => 1 / onList('uncached', 'populate')(generation),
  policy: onList('policy', 'router'),
  ownMiddleware: onList('own global middleware', 'koa'),
  openTelemetry: onList('front traced', 'koa traced'),
  /** Of the same hit on the same lane whose handler answered an object; that was not compressed. */
  jsonText: onList('text', 'populate'),
  innerCompression: onList('compression', 'populate'),
  pageLoad: ({ pageLoad }) => ratioOf(pageLoad, 'cached', 'uncached'),
  pageLoadRepeatable: ({ pageLoad }) => ratioOf(pageLoad, 'repeatable', 'uncached'),
  uniqueKeys: ({ misses }) => mean(PATHS.map((path) => ratioOf(misses[path] ?? {}, 'with', 'without'))),
};

/** The smaller of both bodies' ratios. */
const WORST: Readonly<Record<string, readonly [name: string, base: string]>> = {
  anonymous: ['front', 'koa'],
  anonymousLogged: ['logged', 'koa'],
  router: ['router', 'koa'],
  authenticated: ['authenticated', 'koa'],
  notModified: ['front 304', 'koa 304'],
  /** The ceiling of the two: node:http alone, in a process of Strapi's. */
  bareInStrapi: ['http in Strapi', 'koa'],
  bareInStrapiNotModified: ['http in Strapi 304', 'koa 304'],
};

/** `name` to `base` on one path, over all generations. */
export const ratioOfHits = (generations: readonly Generation[], path: string, name: string, base: string): Ratio =>
  overGenerations(generations.map(({ hits }) => ratioOf(hits[path]?.[name] ?? {}, name, base)));

const mapped = <Value, Result>(
  values: Readonly<Record<string, Value>>,
  map: (value: Value) => Result,
): Readonly<Record<string, Result>> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));

/** What `npm run bench -- --quick` prints. */
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
    /** Processor time of a write with the plugin, of that without; and statements. */
    writes: perKind((turns) => ratioOf(turns, 'without', 'with')),
    statements: perKind((_turns, statements) => (statements.with ?? NaN) / (statements.without ?? NaN)),
  };
};

const rounded = (value: number): number => Math.round(value * 1000) / 1000;

const isOne = (ratio: Ratio | Readonly<Record<string, Ratio>>): ratio is Ratio => typeof ratio.value === 'number';

/** Plain numbers under the ratios' names: their values, or their spreads. */
export const plain = (ratios: Ratios, field: keyof Ratio): unknown =>
  mapped(ratios, (ratio) => (isOne(ratio) ? rounded(ratio[field]) : mapped(ratio, (one) => rounded(one[field]))));

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

/** One line for each ratio, its spread beside it. */
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
