import type { Sentence } from '../../../server/src/cache/sentence';
import type { Core } from '@strapi/strapi';
import { expect, it } from 'vitest';
import type { ResolvedStrategy } from '../../../server/src/config/resolved-config';
import type { Lanes } from '../../../server/src/lanes/lanes';
import { GraphqlSeams } from '../../../server/src/plugin/graphql';
import type { RestCache } from '../../../server/src/plugin/rest-cache';

interface ApolloPlugin {
  serverWillStart(): Promise<unknown>;
}

interface Seams {
  /** The option `apolloServer` of the application. */
  readonly apolloServer?: { readonly plugins?: readonly unknown[] };
  /** Plugins that the application adds in `register`, after those that are there. */
  readonly added?: readonly unknown[];
  readonly layers?: ReadonlyArray<{ readonly path: string; readonly methods: readonly string[] }>;
  readonly isStarted?: boolean;
  readonly repeatable?: boolean;
  /** Where the trial request ended: in the lane, in Strapi's authentication, which let nobody in, or elsewhere. */
  readonly endsAt?: 'lane' | 'authentication' | 'elsewhere';
}

const ENDPOINT = { path: '/graphql', methods: ['GET', 'POST'], regexp: /^\/graphql$/ };

/** Boots a Strapi that has only what the seams look at. */
const mounted = async ({
  apolloServer = {},
  added = [],
  layers = [ENDPOINT],
  isStarted = true,
  repeatable = false,
  endsAt = 'lane',
}: Seams): Promise<{ readonly warnings: string[]; readonly logs: string[]; readonly isCached: boolean }> => {
  const config = new Map<string, unknown>([
    ['plugin::graphql.endpoint', '/graphql'],
    ['plugin::graphql.apolloServer', apolloServer],
  ]);
  const warnings: string[] = [];
  const logs: string[] = [];
  const extension = { generate: () => ({ types: [], plugins: [], resolvers: {}, resolversConfig: {} }) };
  const services: Readonly<Record<string, unknown>> = {
    extension,
    'type-registry': { new: () => ({}) },
    utils: { naming: {} },
  };
  const strapi = {
    config: { get: (name: string, otherwise: unknown) => config.get(name) ?? otherwise, set: config.set.bind(config) },
    server: { router: { stack: layers } },
    log: { info: (line: string) => logs.push(line) },
    plugin: () => ({ service: (name: string) => services[name] }),
    contentTypes: {},
    components: {},
  } as unknown as Core.Strapi;
  const seams = new GraphqlSeams(strapi);
  const { plugins = [] } = config.get('plugin::graphql.apolloServer') as { plugins?: readonly ApolloPlugin[] };
  if (isStarted) await plugins.at(-1)?.serverWillStart();
  config.set('plugin::graphql.apolloServer', { ...apolloServer, plugins: [...plugins, ...added] });
  const lanes = {
    endpoint: undefined as unknown,
    tryRequest: () =>
      Promise.resolve({
        outcome: endsAt === 'lane' ? { kind: 'decided' } : { kind: 'answered', by: undefined },
        hasAskedAuthentication: endsAt !== 'elsewhere',
      }),
  };
  await seams.mount({
    config: {
      strategy: { graphql: { repeatable, keys: {} }, cacheControl: { enabled: false } } as unknown as ResolvedStrategy,
    },
    lanes: lanes as unknown as Lanes,
    listener: {},
    observability: { notices: { warn: ({ text }: Sentence) => warnings.push(text) } },
  } as unknown as RestCache);
  return { warnings, logs, isCached: lanes.endpoint !== undefined };
};

it('GraphQL is cached where everything is as expected', async () => {
  expect(await mounted({})).toEqual({
    warnings: [],
    logs: ['[rest-cache] GraphQL answers are cached at /graphql'],
    isCached: true,
  });
});

it('a plugin of Apollo Server that may miss requests does not matter', async () => {
  const seeing = { requestDidStart: () => Promise.resolve() };
  expect(await mounted({ apolloServer: { plugins: [seeing] }, repeatable: true })).toMatchObject({ isCached: true });
});

it('GraphQL is cached although callers without credentials may not use it when the server starts', async () => {
  expect(await mounted({ endsAt: 'authentication' })).toMatchObject({ warnings: [], isCached: true });
});

it.each<[what: string, seams: Seams, why: RegExp]>([
  ['no endpoint', { layers: [] }, /no endpoint of @strapi\/plugin-graphql is mounted at \/graphql/],
  ['an endpoint for POST alone', { layers: [{ ...ENDPOINT, methods: ['POST'] }] }, /no endpoint/],
  ['an Apollo Server that was made without the plugin', { isStarted: false }, /Apollo Server has not started/],
  [
    'a plugin of the application that sees requests',
    { apolloServer: { plugins: [{ requestDidStart: () => Promise.resolve() }] } },
    /has to see every request; write repeatable: true/,
  ],
  [
    'such a plugin that it adds in its own register',
    { added: [{ requestDidStart: () => Promise.resolve() }] },
    /has to see every request; write repeatable: true/,
  ],
  ['an endpoint that does not authenticate', { endsAt: 'elsewhere' }, /does not ask strapi\.auth\.authenticate/],
])('GraphQL is not cached, and the log says why, with %s', async (_what, seams, why) => {
  const { warnings, logs, isCached } = await mounted(seams);
  expect(isCached).toBe(false);
  expect(logs).toEqual([]);
  expect(warnings).toEqual([expect.stringMatching(why)]);
});
