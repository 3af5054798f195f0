import { PassThrough, type Readable, type Transform } from 'node:stream';

/** Has a driver write a query's rows into a stream; settles when it is done with it. */
type StreamRows = (into: Transform) => unknown;

/** Settles when the stream has ended or was broken off, of which a driver tells nothing. */
export const streamRows = async (into: Transform, send: StreamRows): Promise<void> => {
  // Its connection has gone back to the pool already.
  if (into.destroyed) return;
  const closed = new Promise<void>((resolve) => into.once('close', resolve));
  await Promise.race([send(into), closed]);
};

/**
 * Hands rows on as they come, but keeps the end back until `observe` is done: whoever sees the stream end takes what was
 * written for acknowledged.
 */
export const withEndHeldBack = async (
  target: Transform,
  send: StreamRows,
  observe: (streamed: () => Promise<void>) => Promise<void>,
): Promise<void> => {
  const rows = new PassThrough({ objectMode: true });
  rows.on('error', () => undefined);
  rows.on('pipe', (source: Readable) => rows.once('close', () => source.destroy()));
  target.once('close', () => rows.destroy());
  rows.pipe(target, { end: false });
  try {
    await observe(() => streamRows(rows, send));
    target.end();
  } catch (error) {
    target.destroy(error instanceof Error ? error : new Error(String(error)));
    throw error;
  }
};
