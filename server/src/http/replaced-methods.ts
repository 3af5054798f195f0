import { EventEmitter } from 'node:events';
import type { Context } from 'koa';

type Methods = ReadonlyMap<string, unknown>;

/**
 * Watches for what hooks into the response itself, as `on-headers` does with `writeHead`: such an answer is not finished
 * when its handler is. What instrumentation does to prototypes is there for hits as well, and does not count.
 *
 * @returns the first method that has been replaced since, as one would write it: `res.writeHead`.
 */
export const watchMethods = ({ res, response }: Context): (() => string | undefined) => {
  const watched = Object.entries({ res, response }).map(
    ([name, target]: [string, object]) => [name, target, ownMethods(target)] as const,
  );
  return () => {
    for (const [name, target, before] of watched)
      for (const [method, is] of ownMethods(target)) if (before.get(method) !== is) return `${name}.${method}`;
    return undefined;
  };
};

/** Of the object itself, in the place of its prototype's; accessors among them. Listeners change nothing. */
const ownMethods = (target: object): Methods => {
  const methods = new Map<string, unknown>();
  const prototype = Object.getPrototypeOf(target) as object;
  for (const name of Object.getOwnPropertyNames(target)) {
    if (!(name in prototype) || name in EventEmitter.prototype) continue;
    const property = Object.getOwnPropertyDescriptor(target, name);
    const method: unknown = property?.get ?? property?.value;
    if (typeof method === 'function') methods.set(name, method);
  }
  return methods;
};
