import { compete, type Contestant } from './contest';
import { Load } from './load';
import { FULL_STORE, missOf, warmUpMisses } from './misses';
import { startStrapi, WITHOUT_LOG } from './strapi-process';
import { TWO_TYPES, withStrategy } from './subjects';
import { overGenerations, ratioOf, type Ratio, type Turns } from './turns';

/** A page of 25 articles with author, category and tags: some two hundred statements. */
const PAGE = `{ articles(pagination: { limit: 25 }, sort: "documentId") {
  documentId title publishedOn author { name avatar { url } } category { name } tags { name }
} }`;

const PATH = `/graphql?query=${encodeURIComponent(PAGE.replace(/\s+/g, ' '))}`;

/** `@strapi/plugin-graphql` with the limits that the page needs. */
export const GRAPHQL = { enabled: true, config: { defaultLimit: 25, maxLimit: 100, depthLimit: 15 } };

const plugins = { graphql: GRAPHQL, ...withStrategy({ contentTypes: TWO_TYPES, graphql: true }, FULL_STORE) };

/** Microseconds of CPU per request: of hits and misses, each beside the same request without the plugin. */
export interface GraphqlCosts {
  readonly hits: Turns;
  readonly misses: Turns;
}

export const measureGraphql = async (rounds: number): Promise<GraphqlCosts> => {
  const load = await Load.start();
  const server = await startStrapi('GraphQL', { middlewares: WITHOUT_LOG, plugins, switchable: true });
  try {
    const asked: Contestant = {
      server,
      paths: [PATH],
      headers: { 'apollo-require-preflight': 'true' },
      connections: 4,
    };
    await warmUpMisses(server, load);
    return {
      hits: await compete({ uncached: { ...asked, isWithoutPlugin: true }, hit: asked }, load, rounds),
      misses: await missOf(asked, load, rounds),
    };
  } finally {
    await Promise.all([load.stop(), server.stop()]);
  }
};

/** `hit`: how many hits cost as much as one uncached answer. `miss`: the cost of a miss, compared with none. */
export const graphqlRatios = (costs: readonly GraphqlCosts[]): Record<'hit' | 'miss', Ratio> => ({
  hit: overGenerations(costs.map(({ hits }) => ratioOf(hits, 'hit', 'uncached'))),
  miss: overGenerations(costs.map(({ misses }) => ratioOf(misses, 'without', 'with'))),
});
