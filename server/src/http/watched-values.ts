import { inspect } from 'node:util';
import { MessagePort } from 'node:worker_threads';

/** Asked of a stand-in: what it stands for, every name of which counts as read then. */
const ALL = Symbol('rest-cache all values');

type Values = Record<string | symbol, unknown>;
type Name = string | symbol;

/**
 * Stands for an object and tells which of its names are asked for, whether they are there or not. Everything is done to
 * the object itself; the proxy's own target is empty, for `util.inspect` looks at that past all traps.
 */
class StandIn implements ProxyHandler<Values> {
  #known: Values | undefined;

  constructor(
    private readonly values: () => object,
    private readonly note: (name: Name, values: object) => void,
    private readonly noteAll: () => void,
  ) {}

  get #values(): Values {
    return (this.#known ??= this.values() as Values);
  }

  get(_target: Values, name: Name): unknown {
    if (name === ALL) {
      this.noteAll();
      return this.#values;
    }
    this.note(name, this.#values);
    return this.#values[name];
  }

  has(_target: Values, name: Name): boolean {
    this.note(name, this.#values);
    return name in this.#values;
  }

  getOwnPropertyDescriptor(target: Values, name: Name): PropertyDescriptor | undefined {
    this.note(name, this.#values);
    const found = Object.getOwnPropertyDescriptor(this.#values, name);
    // A list's length can be none else.
    return found === undefined || Object.hasOwn(target, name) ? found : { ...found, configurable: true };
  }

  ownKeys(): Name[] {
    this.noteAll();
    return Reflect.ownKeys(this.#values);
  }

  getPrototypeOf(): object | null {
    return Object.getPrototypeOf(this.#values) as object | null;
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

/** Empty targets. `util.inspect` calls what they have of their own on the stand-in. */
class Names {}
class List extends Array<unknown> {}
for (const { prototype } of [Names, List])
  Object.defineProperty(prototype, inspect.custom, {
    value(this: Values): unknown {
      return this[ALL as never];
    },
  });

/**
 * @param values asked once, when it is needed.
 * @param note told of one name.
 * @param noteAll told that all were listed.
 */
export const watchedValues = (
  values: () => object,
  isList: boolean,
  note: (name: Name, values: object) => void,
  noteAll: () => void,
): object => new Proxy((isList ? new List() : new Names()) as unknown as Values, new StandIn(values, note, noteAll));

let areClonable = false;

/** Structured clones take no proxies, wherever in a value they are: gives them what those stand for. */
export const letStandInsBeCloned = (): void => {
  if (areClonable) return;
  areClonable = true;
  retryWithout(globalThis, 'structuredClone');
  // That of a worker as well.
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
  const source = ((value as Values)[ALL] as object | undefined) ?? value;
  const copy = (Array.isArray(value) ? [] : {}) as Values;
  known.set(value, copy);
  for (const [name, held] of Object.entries(source)) copy[name] = withoutStandIns(held, known);
  return copy;
};
