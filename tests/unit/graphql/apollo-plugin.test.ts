import { ApolloServer, type ApolloServerPlugin, type GraphQLRequestListener } from '@apollo/server';
import { ApolloServerPluginCacheControl } from '@apollo/server/plugin/cacheControl';
import { expect, it } from 'vitest';
import { milliseconds } from '../../../server/src/cache/milliseconds';
import { among, apolloPlugin } from '../../../server/src/graphql/apollo-plugin';
import { Operation } from '../../../server/src/graphql/operation';
import { Run } from '../../../server/src/graphql/run';
import type { SchemaFields } from '../../../server/src/graphql/schema-fields';
import type { Judged } from '../../../server/src/http/endpoint';
import type { Seen } from '../../../server/src/http/handler-watch';
import { Recording } from '../../../server/src/observe/recording';
import { koaContext } from '../http/koa-context';

const typeDefs = `
  directive @cacheControl(maxAge: Int) on FIELD_DEFINITION
  type Shop { name: String }
  type Query { shop: Shop, hinted: Shop @cacheControl(maxAge: 30) }
`;
const resolvers = { Query: { shop: () => ({ name: 'One' }), hinted: () => ({ name: 'Two' }) } };
const mediaType = 'application/json; charset=utf-8';
const NOTHING_SEEN = {
  headers: { headers: [], appended: [], removed: [], compress: undefined },
} as unknown as Seen;

/** What is made of an answer of Apollo Server itself, with these plugins of the application. */
const judged = async (query: string, plugins: readonly ApolloServerPlugin[]): Promise<Judged> => {
  const ctx = koaContext('/graphql');
  ctx.set('Content-Type', mediaType);
  const asked = { hash: '', operationName: undefined, variables: {}, others: {}, mediaType };
  const run = new Run(ctx, asked, {
    operation: new Operation('/graphql', new Set()),
    fields: { kindOf: () => 'own' } as unknown as SchemaFields,
    repeatable: true,
    typeOf: () => undefined,
  });
  const ours = apolloPlugin(
    () => undefined,
    () => run,
  );
  const server = new ApolloServer({
    ...{ typeDefs, resolvers },
    plugins: among(plugins, ours) as ApolloServerPlugin[],
  });
  await server.executeOperation({ query }, { contextValue: { koaContext: ctx } });
  await server.stop();
  const recording = new Recording();
  recording.makesAnswer = true;
  recording.readContent([]);
  return run.judge(NOTHING_SEEN, recording);
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
