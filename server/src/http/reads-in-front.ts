import type { Context, Middleware } from 'koa';
import { noteParameters } from './parameters-in-front';
import { noteReads, type ReadName } from './request-reads';

/** Names of what was read, each with who read it first. */
export type ReadsInFront = ReadonlyMap<ReadName, string>;

/** The policy of ours that stands in front of those of a cached route. */
export const NOTE_READS = 'plugin::rest-cache.note-reads';

/** They name one request and not who asks; middlewares read them for the log, and an answer is never made of them. */
const OF_TRACING: ReadonlySet<ReadName> = new Set([
  'traceparent',
  'tracestate',
  'x-amzn-trace-id',
  'x-cloud-trace-context',
  'x-correlation-id',
  'x-request-id',
]);

const NONE: ReadsInFront = new Map();
const noted = new WeakMap<Context, Map<ReadName, string>>();
const ends = new WeakMap<Context, () => void>();

/** What the application's own functions in front of the lane have read of this request: what they put into `ctx.state`, say, the handler makes its answer of. */
export const readsInFront = (ctx: Context): ReadsInFront => noted.get(ctx) ?? NONE;

const noteInFront = (ctx: Context, where: string): (() => void) => {
  const reads = new Set<ReadName>();
  const end = noteReads(ctx, reads);
  const endParameters = noteParameters(ctx, where);
  let isOver = false;
  return () => {
    if (isOver) return;
    isOver = true;
    endParameters();
    end();
    for (const name of reads) {
      if (OF_TRACING.has(name)) continue;
      const all = noted.get(ctx) ?? new Map<ReadName, string>();
      noted.set(ctx, all);
      if (!all.has(name)) all.set(name, where);
    }
  };
};

/** The same middleware; what it reads before it calls the next one is noted. */
export const notingReads =
  (middleware: Middleware, where: string): Middleware =>
  async (ctx, next) => {
    if (ctx.method !== 'GET') return (await middleware(ctx, next)) as unknown;
    const end = noteInFront(ctx, where);
    try {
      return (await middleware(ctx, () => {
        end();
        return next();
      })) as unknown;
    } finally {
      end();
    }
  };

/** From here to the lane: the route's own policies and middlewares. */
export const beginReadsOfRoute = (ctx: Context): void => {
  if (ctx.method !== 'GET') return;
  const end = noteInFront(ctx, 'a policy or middleware of the route');
  ends.set(ctx, end);
  // They may refuse the caller.
  ctx.res.once('close', end);
};

export const endReadsOfRoute = (ctx: Context): void => ends.get(ctx)?.();
