import { runInThisContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { usesOf } from '../../../server/src/handlers/closed-function';

/** A method of a controller or service with this text. What is around it, is around it in an application as well. */
const method = (text: string): unknown => {
  const around = ['cache', 'inFlight', 'loader', 'emitter', 'helper', 'other', 'jobs', 'wake', 'strapi', '_'];
  const factory = runInThisContext(`((${around.join(', ')}) => ({ ${text} }))`) as () => Record<string, unknown>;
  return Object.values(factory())[0];
};

const uses = (text: string): { methods: string[]; services: string[] } | undefined => {
  const found = usesOf(method(text), true);
  return (
    found && { methods: [...found.methods], services: found.services.map(({ uid, method: of }) => `${uid}.${of}`) }
  );
};

describe('has no way to come by the work of others', () => {
  it.each([
    ['a call of super', 'async find(ctx) { return await super.find(ctx); }', ['find']],
    [
      'changes of what super answers',
      `async find(ctx) {
         ctx.query = { ...ctx.query, populate: { cover: true } };
         const { data, meta } = await super.find(ctx);
         return { data: data.map(({ id, ...rest }) => ({ id, title: rest.title?.toUpperCase() })), meta };
       }`,
      ['find'],
    ],
    [
      "Strapi's own steps by hand",
      `async find(ctx) {
         await this.validateQuery(ctx);
         const query = await this.sanitizeQuery(ctx);
         const found = await strapi.documents('api::a.a').findMany(query);
         return this.transformResponse(await this.sanitizeOutput(found, ctx));
       }`,
      ['validateQuery', 'sanitizeQuery', 'transformResponse', 'sanitizeOutput'],
    ],
    [
      'several statements at once',
      `async find(ctx) {
         const [rows, count] = await Promise.all([
           strapi.db.query('api::a.a').findMany({ where: ctx.query.filters }),
           strapi.db.connection('as').count(),
         ]);
         ctx.body = { rows, count };
       }`,
      [],
    ],
    [
      'the signed-in caller, and parts of the context',
      `async me(ctx) {
         const { user } = ctx.state;
         const { query, params: { id }, state: { auth } } = ctx;
         if (!ctx.state.user) return ctx.unauthorized('no');
         for (const part of Object.keys(query)) if (part === id) return ctx.badRequest(part);
         return { user, auth, body: ctx.request.body.x };
       }`,
      [],
    ],
    ['the parts of a context as a parameter', 'async me({ query, state: { user } }) { return { query, user }; }', []],
    [
      'an arrow function',
      'find: async (ctx) => ({ rows: await strapi.entityService.findMany("api::a.a", ctx.query) })',
      [],
    ],
    [
      'a function expression',
      'find: async function named(ctx) { return super_(); function super_() { return ctx.query; } }',
      [],
    ],
    ['an error that is caught', 'async find(ctx) { try { return ctx.query; } catch (error) { return error; } }', []],
    [
      'blocks and loops',
      'find(ctx) { switch (ctx.query.a) { case 1: { let b = 1; return b; } default: } top: for (;;) break top; }',
      [],
    ],
  ])('%s', (_what, text, methods) => {
    expect(uses(text)).toEqual({ methods, services: [] });
  });

  it('calls of services, which are named', () => {
    expect(uses("find(ctx) { return strapi.service('api::a.a').list(ctx.query); }")).toEqual({
      methods: [],
      services: ['api::a.a.list'],
    });
  });
});

describe('may share work through', () => {
  it.each([
    ['a promise around it', 'async find(ctx) { return (inFlight ??= super.find(ctx)); }'],
    ['a promise beside its own work', 'async find(ctx) { return Promise.all([inFlight, super.find(ctx)]); }'],
    [
      'a promise that it reads afterwards',
      'async find(ctx) { const own = await super.find(ctx); return [own, cache]; }',
    ],
    ['a batch', 'async find(ctx) { return loader.load(ctx.params.id); }'],
    ['a queue', 'async find() { return new Promise((resolve) => { jobs.push(resolve); wake(); }); }'],
    ['an event', "async find() { return new Promise((resolve) => emitter.once('done', resolve)); }"],
    ['polling', 'async find() { while (!cache.ready) await new Promise((resolve) => setTimeout(resolve, 5)); }'],
    ['timers', 'async find() { await new Promise((resolve) => setTimeout(resolve, 5)); }'],
    ['a function of another file', 'async find(ctx) { return helper(await super.find(ctx)); }'],
    ['a property of its object', 'async find(ctx) { return (this.inFlight ??= super.find(ctx)); }'],
    [
      'a property of its own',
      'find: async function find() { return (find.inFlight ??= strapi.db.query("a").count()); }',
    ],
    ['its object', 'async find(ctx) { const own = this; return own.load(ctx); }'],
    ['a method taken from its object', 'async find(ctx) { const load = this.load; return load(ctx); }'],
    ['a computed method of its object', 'async find(ctx) { return this[ctx.query.name](ctx); }'],
    ['a property of strapi', 'async find() { return strapi.loader.load(1); }'],
    ['strapi, passed on', 'async find() { return Object.values(strapi); }'],
    ['strapi, taken apart', 'async find() { const { loader } = strapi; return loader; }'],
    ['a service that is not named', 'async find(ctx) { return strapi.service(ctx.query.uid).find(); }'],
    ['a service without a call', "async find() { return strapi.service('api::a.a').inFlight; }"],
    ['a plugin', "async find() { return strapi.plugin('x').service('y').load(); }"],
    ['the context, where a middleware has left something', 'async find(ctx) { return ctx.loaders.load(1); }'],
    ['the state, where a policy has left something', 'async find(ctx) { return ctx.state.rows; }'],
    ['the state, taken apart', 'async find(ctx) { const { rows } = ctx.state; return rows; }'],
    ['the state, taken whole', 'async find(ctx) { const { state } = ctx; return state.rows; }'],
    ['the rest of the context', 'async find(ctx) { const { query, ...rest } = ctx; return rest.loader; }'],
    ['the rest of a parameter', 'async find({ query, ...rest }) { return rest.loader; }'],
    ['the state in a parameter', 'async find({ state }) { return state.rows; }'],
    ['the application on the context', 'async find(ctx) { return ctx.app.context.cache; }'],
    ['the request, where a middleware has left something', 'async find(ctx) { return ctx.request.loader; }'],
    ['a computed part of the context', "async find(ctx) { return ctx['loader']; }"],
    ['the context by another name', 'async find(ctx) { const c = ctx; return c.loader; }'],
    ['the context, passed on', "async find(ctx) { return strapi.service('api::a.a').find(ctx); }"],
    ['globals', 'async find() { return globalThis.inFlight; }'],
    ['the process', 'async find() { return process.inFlight; }'],
    ['an import', "async find() { return (await import('./cache.js')).inFlight; }"],
    ['its arguments', 'async find() { return arguments[0].loader; }'],
    ['a default of a parameter', 'async find(ctx, found = cache) { return found; }'],
    ['a default of a variable', 'async find(ctx) { const { found = cache } = ctx.query; return found; }'],
    [
      'a name that an inner function has too',
      'async find(ctx) { ctx.query.a.map((cache) => cache.id); return cache.get(); }',
    ],
    [
      'a name that an inner block has too',
      'async find(ctx) { if (ctx.query.a) { const cache = 1; } return cache.get(); }',
    ],
    ['a variable that is written', 'async find(ctx) { other = await super.find(ctx); return other; }'],
    ['a class around it', 'async find() { return new (class extends helper {})(); }'],
    ['a computed property', 'async find() { return { [cache.name]: 1 }; }'],
    ['a template', 'async find() { return `${cache.name}`; }'],
    ['code made of text', "async find() { return eval('cache'); }"],
  ])('%s', (_what, text) => {
    expect(uses(text)).toBeUndefined();
  });

  it('what its text does not show', () => {
    const bound = function (this: unknown): unknown {
      return this;
    }.bind({});
    expect(usesOf(bound, true)).toBeUndefined();
    expect(usesOf(Math.max, true)).toBeUndefined();
    expect(usesOf(new Proxy(() => undefined, {}), true)).toBeUndefined();
    expect(usesOf(undefined, true)).toBeUndefined();
  });
});

it("a service's parameters are its own, as its callers pass no context on", () => {
  const find = method(
    "async find(params) { return strapi.documents('api::a.a').findMany({ ...params, state: params.state }); }",
  );
  expect(usesOf(find, false)).toBeDefined();
});
