/**
 * Switches the plugin off and on in a running application: its listener, its middleware, its place between knex and the
 * database, and its lanes on routes. Two processes of the same program differ by up to a tenth in the cost of a
 * request. Comparing one process with and without the plugin avoids this difference.
 */

/** Create it before Strapi loads. */
export class PluginSwitch {
  #strapi;
  #isOn = true;
  #run;
  #origin;
  #settings = [];

  constructor(strapi) {
    this.#strapi = strapi;
    this.#run = strapi.requestContext.run;
    const registry = strapi.get('middlewares');
    const { add } = registry;
    registry.add = (namespace, middlewares) =>
      add.call(registry, namespace, namespace === 'plugin::rest-cache' ? this.#switchable(middlewares) : middlewares);
  }

  /** Call it after Strapi has loaded, and before it listens. */
  load() {
    [this.#origin] = this.#strapi.server.httpServer.listeners('request');
  }

  /** Call it once Strapi listens, because the plugin surveys the stack at that moment. */
  listen() {
    const { server, db, requestContext } = this.#strapi;
    const { httpServer } = server;
    const [front] = httpServer.listeners('request');
    if (front === this.#origin) throw new Error('no lane is in front');
    this.#settings.push((isOn) => {
      httpServer.removeAllListeners('request');
      httpServer.on('request', isOn ? front : this.#origin);
    });

    const stack = server.app.middleware;
    const index = stack.findIndex((middleware) => middleware.toString().includes('isNeverCached'));
    const observe = stack[index];
    if (observe === undefined) throw new Error('the middleware of the plugin is not where it was');
    stack[index] = (ctx, next) => (this.#isOn ? observe(ctx, next) : next());

    const { client } = db.connection;
    const observed = Object.getPrototypeOf(client);
    const dialect = Object.getPrototypeOf(observed);
    if (!Object.hasOwn(observed, 'query')) throw new Error('knex is not observed where it was');
    // Changing the prototype of the client instead would make V8 discard its optimised code on each turn.
    const isOn = () => this.#isOn;
    for (const method of ['query', 'stream']) {
      const { [method]: observe } = observed;
      observed[method] = function (...args) {
        return (isOn() ? observe : dialect[method]).apply(this, args);
      };
    }

    const { run } = requestContext;
    if (run === this.#run) throw new Error('the request context is not followed');
    this.#settings.push((isOn) => (requestContext.run = isOn ? run : this.#run));
  }

  turn(isOn) {
    this.#isOn = isOn;
    for (const set of this.#settings) set(isOn);
  }

  #switchable(factories) {
    return Object.fromEntries(
      Object.entries(factories).map(([name, factory]) => [
        name,
        (config, context) => {
          const middleware = factory(config, context);
          return (ctx, next) => (this.#isOn ? middleware(ctx, next) : next());
        },
      ]),
    );
  }
}
