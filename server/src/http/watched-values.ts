import { inspect } from 'node:util';
import { MessagePort } from 'node:worker_threads';

type Values = Record<string | symbol, unknown>;
type Name = string | symbol;

/** Receives what is read of watched values. */
export interface Watcher {
  note(name: Name, values: object): void;
  /** All names were listed. */
  noteAll(): void;
}

/**
 * A proxy handler that stands in for an object and reports which of its names are read, whether they exist or not. All
 * operations act on the object itself. The proxy's target is empty, because `util.inspect` looks at the target without
 * calling traps.
 */
class StandIn implements ProxyHandler<Values> {
  readonly #watcher: Watcher;
  readonly #given: object | (() => object);
  #known: Values | undefined;

  constructor(values: object | (() => object), watcher: Watcher) {
    this.#given = values;
    this.#watcher = watcher;
  }

  get #values(): Values {
    return (this.#known ??= (typeof this.#given === 'function' ? this.#given() : this.#given) as Values);
  }

  get(_target: Values, name: Name): unknown {
    this.#watcher.note(name, this.#values);
    return this.#values[name];
  }

  has(_target: Values, name: Name): boolean {
    this.#watcher.note(name, this.#values);
    return name in this.#values;
  }

  getOwnPropertyDescriptor(target: Values, name: Name): PropertyDescriptor | undefined {
    this.#watcher.note(name, this.#values);
    const found = Object.getOwnPropertyDescriptor(this.#values, name);
    // A proxy must report what its target lacks as configurable, and the `length` of a list as it is.
    return found === undefined || Object.hasOwn(target, name) ? found : { ...found, configurable: true };
  }

  ownKeys(): Name[] {
    this.#watcher.noteAll();
    return Reflect.ownKeys(this.#values);
  }

  getPrototypeOf(): object | null {
    return Object.getPrototypeOf(this.#values) as object | null;
  }

  setPrototypeOf(_target: Values, prototype: object | null): boolean {
    return Reflect.setPrototypeOf(this.#values, prototype);
  }

  /** Refused, because all stand-ins share the target. */
  preventExtensions(): boolean {
    return false;
  }

  set(_target: Values, name: Name, value: unknown): boolean {
    return Reflect.set(this.#values, name, value);
  }

  deleteProperty(_target: Values, name: Name): boolean {
    return Reflect.deleteProperty(this.#values, name);
  }

  defineProperty(_target: Values, name: Name, property: PropertyDescriptor): boolean {
    return Reflect.defineProperty(this.#values, name, property);
  }
}

const copyOf = (values: object): object => (Array.isArray(values) ? [...(values as unknown[])] : { ...values });

/** Empty targets. Their only property, `inspect.custom`, is called by `util.inspect` with the stand-in as `this`. */
const NAMES: object = {};
const LIST: object = [];
for (const target of [NAMES, LIST])
  Object.defineProperty(target, inspect.custom, {
    configurable: true,
    value(this: object): object {
      return copyOf(this);
    },
  });

/**
 * A stand-in for `values` that reports what is read of it.
 *
 * @param values or a function that returns them, called once, when they are needed.
 */
export const watchedValues = (values: object | (() => object), isList: boolean, watcher: Watcher): object =>
  new Proxy((isList ? LIST : NAMES) as Values, new StandIn(values, watcher));

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
