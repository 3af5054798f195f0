import { ApolloServer, type ApolloServerPlugin, type GraphQLRequestListener } from '@apollo/server';
import { ApolloServerPluginCacheControl } from '@apollo/server/plugin/cacheControl';
import type { Context } from 'koa';
import { describe, expect, it } from 'vitest';
import { milliseconds } from '../../../server/src/cache/milliseconds';
import { among, apolloPlugin } from '../../../server/src/graphql/apollo-plugin';
import { Operation, type OperationSettings } from '../../../server/src/graphql/operation';
import { Run } from '../../../server/src/graphql/run';
import type { Judged } from '../../../server/src/http/endpoint';
import { exchangeOf } from '../../../server/src/http/exchange';
import { HandlerWatch, type Seen } from '../../../server/src/http/handler-watch';
import { Recording } from '../../../server/src/observe/recording';
import { koaContext } from '../http/koa-context';

const typeDefs = `
  directive @cacheControl(maxAge: Int) on FIELD_DEFINITION
  type Shop { name: String }
  type Query { shop: Shop, hinted: Shop @cacheControl(maxAge: 30) }
`;
const defaults: Resolvers = { shop: () => ({ name: 'One' }), hinted: () => ({ name: 'Two' }) };
const mediaType = 'application/json; charset=utf-8';

interface Shared {
  readonly koaContext: Context;
}

type Resolvers = Readonly<Record<string, (parent: unknown, args: unknown, shared: Shared) => unknown>>;

interface Application {
  /** Called when Apollo Server is made. */
  readonly onServer?: (server: ApolloServer<Shared>) => void;
  readonly resolvers?: Resolvers;
  /** `Cache-Control` as a middleware in front has set it. */
  readonly inFront?: string;
  /** A field with policies. */
  readonly guarded?: string;
}

/** What is made of an answer of Apollo Server itself, with these plugins of the application. */
const judged = async (
  query: string,
  plugins: readonly ApolloServerPlugin[],
  { onServer, resolvers = defaults, inFront, guarded }: Application = {},
): Promise<Pick<Judged, 'unstorable' | 'maxAge' | 'headers'> & Pick<Seen, 'reads'>> => {
  const ctx = koaContext('/graphql', { 'x-tenant': 'acme' });
  if (inFront !== undefined) ctx.set('Cache-Control', inFront);
  const watch = (exchangeOf(ctx).watch = new HandlerWatch(ctx));
  ctx.set('Content-Type', mediaType);
  const asked = { hash: '', operationName: undefined, variables: {}, others: {}, mediaType };
  const settings: OperationSettings = {
    layer: { path: '/graphql' },
    settings: { repeatable: false },
    kindOf: ({ fieldName }) => (fieldName === guarded ? 'guarded' : 'own'),
  };
  const run = new Run(ctx, asked, new Operation(settings, new Set()), () => undefined);
  const ours = apolloPlugin(
    () => undefined,
    () => run,
  );
  const server = new ApolloServer<Shared>({
    typeDefs,
    resolvers: { Query: { ...defaults, ...resolvers } },
    plugins: among(plugins, ours) as ApolloServerPlugin[],
  });
  onServer?.(server);
  await server.executeOperation({ query }, { contextValue: { koaContext: ctx } });
  await server.stop();
  const recording = new Recording();
  recording.makesAnswer = true;
  recording.readContent([]);
  const seen = watch.end();
  return { ...run.judge(seen, recording), reads: seen.reads };
};

it.each<[what: string, plugins: readonly ApolloServerPlugin[]]>([
  ['Apollo Server adds by itself', []],
  ['the application has set up', [ApolloServerPluginCacheControl({ calculateHttpHeaders: false })]],
])('a field without a hint does not limit an answer, with the cache control that %s', async (_what, plugins) => {
  const without = await judged('{ shop { name } }', plugins);
  expect([without.unstorable, without.maxAge]).toEqual([undefined, Infinity]);
  expect((await judged('{ shop { name } hinted { name } }', plugins)).maxAge).toBe(milliseconds(30_000));
});

const listening = (listener: GraphQLRequestListener<object>): ApolloServerPlugin => ({
  requestDidStart: () => Promise.resolve(listener),
});

it('an answer is judged as a plugin has left it that waits before it replaces the answer', async () => {
  const replacing = listening({
    willSendResponse: async ({ response }) => {
      await Promise.resolve();
      response.body = { kind: 'single', singleResult: { data: {}, errors: [{ message: 'Away' }] } };
    },
  });
  expect((await judged('{ shop { name } }', [replacing])).unstorable?.code).toBe('errors');
});

it.each<[what: string, hint: object, maxAge: number, code: string | undefined]>([
  ['a time', { maxAge: 20 }, 20_000, undefined],
  ['no time', { maxAge: 0 }, 0, 'cache-control'],
  ['a private scope', { scope: 'PRIVATE' }, Infinity, 'cache-control'],
])('a hint of a plugin for the whole answer counts like one of a field: %s', async (_what, hint, maxAge, code) => {
  const limiting = listening({
    didResolveOperation: async ({ overallCachePolicy }) => overallCachePolicy.restrict(hint),
  });
  const { unstorable, ...answer } = await judged('{ shop { name } }', [limiting]);
  expect([unstorable?.code, answer.maxAge]).toEqual([code, maxAge]);
});

it('a resolver’s no-store counts although a middleware in front has set the same', async () => {
  const shop = (_parent: unknown, _args: unknown, { koaContext }: Shared): object => {
    koaContext.set('Cache-Control', 'no-store');
    return { name: 'One' };
  };
  const { headers } = await judged('{ shop { name } }', [], { resolvers: { shop }, inFront: 'no-store' });
  expect(headers.headers).toContainEqual(['Cache-Control', 'no-store']);
  expect((await judged('{ shop { name } }', [], { inFront: 'no-store' })).headers.headers).not.toContainEqual([
    'Cache-Control',
    'no-store',
  ]);
});

describe('a resolver that executes another operation', () => {
  const executing = async (guarded?: string): ReturnType<typeof judged> => {
    let server: ApolloServer<Shared> | undefined;
    const shop: Resolvers[string] = async (_parent, _args, contextValue) => {
      const name = contextValue.koaContext.get('x-tenant');
      await server?.executeOperation({ query: '{ hinted { name } }' }, { contextValue });
      return { name };
    };
    const onServer = (made: ApolloServer<Shared>): void => void (server = made);
    return judged('{ shop { name } }', [], {
      resolvers: { shop },
      onServer,
      ...(guarded === undefined ? {} : { guarded }),
    });
  };

  it('may have read the request before', async () => {
    expect([...(await executing()).reads]).toContain('x-tenant');
  });

  it('makes an answer that is not stored of a field with policies', async () => {
    expect((await executing('hinted')).unstorable?.about).toBe('Query.hinted');
    expect((await executing()).unstorable).toBeUndefined();
  });
});
