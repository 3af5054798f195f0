import { inspect } from 'node:util';
import { MessagePort } from 'node:worker_threads';

type Values = Record<string | symbol, unknown>;

/** Receives what is read of watched values. */
export interface Watcher {
  note(name: string | symbol, values: object): void;
  /** All names were listed. */
  noteAll(): void;
}

const copyOf = (values: object): object => (Array.isArray(values) ? [...(values as unknown[])] : { ...values });

/** `util.inspect` looks at a proxy's target without calling traps, but calls this with the stand-in as `this`. */
const INSPECTED: PropertyDescriptor = {
  configurable: true,
  value(this: object): object {
    return copyOf(this);
  },
};

/** A stand-in for `values` that reports which names are read of it, whether they exist or not. */
export const watchedValues = <T extends object>(values: T, watcher: Watcher): T => {
  Reflect.defineProperty(values, inspect.custom, INSPECTED);
  const handler: ProxyHandler<Values> = {
    get(target, name): unknown {
      watcher.note(name, target);
      return target[name];
    },
    has(target, name) {
      watcher.note(name, target);
      return name in target;
    },
    getOwnPropertyDescriptor(target, name) {
      watcher.note(name, target);
      return Object.getOwnPropertyDescriptor(target, name);
    },
    ownKeys(target) {
      watcher.noteAll();
      return Reflect.ownKeys(target);
    },
    // Without this trap, an assignment would ask for the descriptor, which is no read.
    set: (target, name, value) => Reflect.set(target, name, value),
  };
  return new Proxy(values as Values, handler) as T;
};

let areClonable = false;

/**
 * Lets values be cloned that hold stand-ins, at any depth: structured cloning refuses proxies, so it is retried with
 * copies of the values that the stand-ins stand for.
 */
export const letStandInsBeCloned = (): void => {
  if (areClonable) return;
  areClonable = true;
  retryWithout(globalThis, 'structuredClone');
  // A worker's `postMessage` calls this one.
  retryWithout(MessagePort.prototype, 'postMessage');
};

const retryWithout = (holder: object, name: string): void => {
  const original = Reflect.get(holder, name) as (value: unknown, ...rest: unknown[]) => unknown;
  Reflect.set(holder, name, function (this: unknown, value: unknown, ...rest: unknown[]): unknown {
    try {
      return original.call(this, value, ...rest);
    } catch {
      return original.call(this, withoutStandIns(value, new Map()), ...rest);
    }
  });
};

const withoutStandIns = (value: unknown, known: Map<object, unknown>): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  if (known.has(value)) return known.get(value);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null) return value;
  const copy = copyOf(value) as Values;
  known.set(value, copy);
  for (const name of Object.keys(copy)) copy[name] = withoutStandIns(copy[name], known);
  return copy;
};
