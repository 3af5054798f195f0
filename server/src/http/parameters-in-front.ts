import type { Context } from 'koa';
import { StandIn } from './stand-in';
import { wrapAccessor } from './wrap-accessor';

/** Properties in which Strapi and Koa keep what they have parsed; missing from their types. */
export type ParsedRequest = Context['request'] & {
  _querycache?: Record<string, object | undefined>;
  memoizedURL?: unknown;
};

/** The parameters that functions in front of the lane have read or set, each function in words. */
class Touched {
  /** Those read, each with the function that read it first. */
  readonly read = new Map<string, string>();
  readonly #written = new Set<string>();
  /** Whether the query was set as a whole: who knows which of its parameters were merely copied. */
  #isReplaced = false;
  readonly #by = new Set<string>();

  noteRead(name: string, where: string): void {
    if (!this.read.has(name)) this.read.set(name, where);
    this.#by.add(where);
  }

  /** @param name of the parameter; `undefined` if the whole query was set. */
  noteWrite(name: string | undefined, where: string): void {
    if (name === undefined) this.#isReplaced = true;
    else this.#written.add(name);
    this.#by.add(where);
  }

  has(name: string): boolean {
    return this.#isReplaced || this.read.has(name) || this.#written.has(name);
  }

  isBy(where: string): boolean {
    return this.#by.has(where);
  }

  /** Takes back what one function has read first. */
  disregard(where: string): void {
    for (const [name, who] of this.read) if (who === where) this.read.delete(name);
  }
}

const touchedBy = new WeakMap<Context, Touched>();

/** What functions in front of the lane have read or set so far; `undefined` if that is nothing. */
export const touchedInFront = (ctx: Context): Touched | undefined => touchedBy.get(ctx);

const touching = (ctx: Context): Touched => {
  const touched = touchedBy.get(ctx) ?? new Touched();
  touchedBy.set(ctx, touched);
  return touched;
};

/** What hears that a function in front of the lane uses the query as text, as `ctx.query` does. */
interface Hearer {
  read(text: unknown): void;
  write(): void;
}

/** By request. */
const hearers = new WeakMap<object, Hearer>();

const hearText = (prototype: object): void => {
  wrapAccessor(prototype, 'querystring', ({ get, set }) => ({
    get(this: object): unknown {
      const text: unknown = get.call(this);
      hearers.get(this)?.read(text);
      return text;
    },
    set(this: object, text: unknown) {
      hearers.get(this)?.write();
      set?.call(this, text);
    },
  }));
};

/**
 * Notes which parameters are read or set from now on: in `ctx.query` by name, and all of them by code that parses
 * `ctx.querystring` or `ctx.search`, or sets one of the three as a whole. Code that parses or sets `ctx.url` is not
 * noticed, because logs show that. The query is parsed only if the code asks for it: that may throw.
 *
 * @param where the function that is about to run, in words.
 * @returns ends it. Code that still holds the query object goes on being noted.
 */
export const noteParameters = (ctx: Context, where: string): (() => void) => {
  const request = ctx.request as ParsedRequest;
  const { querystring } = request;
  if (querystring === '') return () => undefined;
  hearText(ctx.app.request);
  let shown: ShownQuery | undefined;
  const hearer: Hearer = {
    read(text) {
      // A query that the function has set itself says nothing of that which was sent.
      if (text !== querystring) return;
      if (shown === undefined) {
        // Parsing it reads the text as well.
        hearers.delete(request);
        shown = showQuery(ctx, querystring, where);
        hearers.set(request, hearer);
      }
      shown.readText();
    },
    write: () => touching(ctx).noteWrite(undefined, where),
  };
  hearers.set(request, hearer);
  return () => {
    hearers.delete(request);
    shown?.end();
  };
};

interface ShownQuery {
  /** Called when the text is read: for itself, or by `ctx.query`, which then looks into its cache. */
  readText(): void;
  end(): void;
}

const UNPARSED: ShownQuery = { readText: () => undefined, end: () => undefined };

/** Puts a stand-in of the query into the cache of parsed queries. */
const showQuery = (ctx: Context, querystring: string, where: string): ShownQuery => {
  const request = ctx.request as ParsedRequest;
  let query: Context['query'];
  try {
    ({ query } = request);
  } catch {
    // Nor can the lane make a key of it.
    return UNPARSED;
  }
  const read = (name: string): void => {
    if (Object.hasOwn(query, name)) touching(ctx).noteRead(name, where);
  };
  const readAll = (): void => Object.keys(query).forEach(read);
  const write = (name: string): void => touching(ctx).noteWrite(name, where);
  const { _querycache: cache } = request;
  // Strapi's `query` keeps it there. If it does not, nobody knows who reads what.
  if (cache?.[querystring] !== query || Object.getPrototypeOf(query) !== Object.prototype) {
    readAll();
    return UNPARSED;
  }
  // `ctx.query` reads the text once, and then looks into its cache.
  let isTextRead = false;
  // Koa takes the query from its cache twice for each read of it, so that says nothing.
  const shown = new StandIn(query, { read, readAll, write, mayHaveAskedFor: () => undefined });
  let now: object | undefined;
  const showTaken = (): object => {
    isTextRead = false;
    return now ?? shown.take(true);
  };
  Object.defineProperty(cache, querystring, {
    configurable: true,
    enumerable: true,
    get: showTaken,
    set: (other: object) => (now = other),
  });
  return {
    readText() {
      if (isTextRead) readAll();
      isTextRead = true;
    },
    end() {
      if (isTextRead) readAll();
      shown.end();
      // Other code may have replaced it.
      if (Object.getOwnPropertyDescriptor(cache, querystring)?.get === showTaken)
        Object.defineProperty(cache, querystring, {
          value: now ?? query,
          writable: true,
          enumerable: true,
          configurable: true,
        });
    },
  };
};
