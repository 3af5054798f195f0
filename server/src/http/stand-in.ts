import { inspect } from 'node:util';

type Values = Record<string, unknown>;

/** Methods of all objects that tell whether there is a property. */
const ASKS_FOR_ONE: ReadonlySet<unknown> = new Set(['hasOwnProperty', 'propertyIsEnumerable']);

/** Notes what is read of an object that a stand-in replaces. */
export interface Reader {
  /** A property was read by its name, whether the object has it or not. */
  read(name: string): void;
  /** All properties were read, or their names may have been listed. */
  readAll(): void;
  /** The code may have asked whether the object has one of these properties, which are all that it has. */
  mayHaveAskedFor(names: readonly string[]): void;
  /** A property was set. */
  write?(name: string): void;
}

/**
 * A plain object that is shown in the place of another, and reports what is read of it: properties that the other has
 * are getters of its own, and its prototype hears of those that it lacks. So it is cloned, posted to a worker, spread
 * and serialised like the other, and each of these is heard as a read of all properties. A list of the names alone
 * (`Object.keys`) and a question for a property that it has (`in`, `Object.hasOwn`) cannot be heard. So they are assumed
 * wherever the object was handed out and not read: a list where it is then shown no longer, and a question where it is
 * handed out again.
 */
export class StandIn<T extends object> implements ProxyHandler<object> {
  readonly #values: Values;
  readonly #names: readonly string[];
  readonly #reader: Reader;
  readonly #shown: Values;
  /** The number of properties that were just read one after the other, in their order. */
  #inOrder = 0;
  #isUnheard = false;
  /** Whether a property was set that it did not have at that moment: it may have been deleted before. */
  #hasAdded = false;

  constructor(values: T, reader: Reader) {
    this.#values = values as Values;
    this.#names = Object.keys(values);
    this.#reader = reader;
    const shown = Object.create(null) as Values;
    for (const name of this.#names)
      Object.defineProperty(shown, name, {
        configurable: true,
        enumerable: true,
        get: () => this.#read(name),
        set: (value: unknown) => this.#write(name, value),
      });
    this.#shown = Object.setPrototypeOf(shown, new Proxy(Object.prototype, this)) as Values;
  }

  /**
   * Hands it out, to code whose reads count or to other code.
   *
   * @param mayBeChecked whether the code is known to hand out the object twice for one read: `headers && headers.host`.
   */
  take(counts: boolean, mayBeChecked = false): T {
    if (counts) {
      if (this.#isUnheard && !mayBeChecked) this.#reader.mayHaveAskedFor(this.#names);
      this.#isUnheard = true;
    }
    return this.#shown as T;
  }

  /** Whether this is the stand-in. */
  is(object: unknown): boolean {
    return object === this.#shown;
  }

  /** Whether the object still has the properties that it had. */
  get isCurrent(): boolean {
    return this.#isComplete(Object.keys(this.#values));
  }

  /** Ends a time in which it was shown. Properties that were added or deleted meanwhile are those of the object. */
  end(): void {
    if (this.#isUnheard) this.#reader.readAll();
    this.#isUnheard = false;
    const now = Object.keys(this.#shown);
    if (this.#isComplete(now) && !this.#hasAdded) return;
    for (const name of this.#names) if (!now.includes(name)) Reflect.deleteProperty(this.#values, name);
    for (const name of now)
      if (Object.getOwnPropertyDescriptor(this.#shown, name)?.get === undefined) this.#values[name] = this.#shown[name];
  }

  #isComplete(names: readonly string[]): boolean {
    return names.length === this.#names.length && names.every((name, index) => name === this.#names[index]);
  }

  #read(name: string): unknown {
    this.#isUnheard = false;
    this.#reader.read(name);
    if (name !== this.#names[this.#inOrder]) this.#inOrder = name === this.#names[0] ? 1 : 0;
    // The only one of all may well have been asked for by its name.
    else if ((this.#inOrder += 1) === this.#names.length && this.#names.length > 1) this.#readAll();
    return this.#values[name];
  }

  #readAll(): void {
    this.#isUnheard = false;
    this.#inOrder = 0;
    this.#reader.readAll();
  }

  #write(name: string, value: unknown): void {
    this.#isUnheard = false;
    this.#reader.write?.(name);
    this.#values[name] = value;
  }

  /** Node.js shows getters as such, so it is given a copy. */
  readonly #inspected = (): object => {
    this.#readAll();
    return { ...this.#values };
  };

  // What its prototype does.

  get(prototype: object, name: string | symbol): unknown {
    if (name === inspect.custom) return this.#inspected;
    if (typeof name === 'string') this.#readAbsent(name);
    const value: unknown = Reflect.get(prototype, name);
    if (!ASKS_FOR_ONE.has(name)) return value;
    return (asked: PropertyKey): unknown => {
      if (typeof asked === 'string') this.#reader.read(asked);
      return (value as (name: PropertyKey) => unknown).call(this.#shown, asked);
    };
  }

  has(prototype: object, name: string | symbol): boolean {
    if (typeof name === 'string') this.#readAbsent(name);
    return name in prototype;
  }

  /** Asked by `for … in`. */
  ownKeys(prototype: object): Array<string | symbol> {
    this.#readAll();
    return Reflect.ownKeys(prototype);
  }

  set(prototype: object, name: string | symbol, value: unknown, shown: unknown): boolean {
    this.#isUnheard = false;
    this.#hasAdded = true;
    if (typeof name === 'string') this.#reader.write?.(name);
    return Reflect.set(prototype, name, value, shown);
  }

  getPrototypeOf(prototype: object): object {
    return prototype;
  }

  #readAbsent(name: string): void {
    this.#isUnheard = false;
    if (!(name in Object.prototype)) this.#reader.read(name);
  }
}
