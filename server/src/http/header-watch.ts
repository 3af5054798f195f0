import type { ServerResponse } from 'node:http';

/** How a header is about to change. */
export type HeaderChange = 'setHeader' | 'appendHeader' | 'removeHeader';

const CHANGES: readonly HeaderChange[] = ['setHeader', 'appendHeader', 'removeHeader'];

type ChangeHeader = (name: string, ...values: unknown[]) => unknown;

/** Of a response over HTTP/2: takes the whole head. */
interface Http2Stream {
  respond(headers: Readonly<Record<string, unknown>>, ...options: unknown[]): void;
}

/**
 * Tells of each change to a header of this response, right before it is made. `writeHead` makes its changes in the same
 * way, so that a header which somebody adds at the very last is told as well.
 *
 * @returns ends the watch.
 */
export const watchHeaders = (
  response: ServerResponse,
  changing: (change: HeaderChange, name: string, value: unknown) => void,
): (() => void) => {
  const methods = response as unknown as Partial<Record<HeaderChange, ChangeHeader>>;
  let isWatching = true;
  for (const change of CHANGES) {
    const original = methods[change];
    // Node.js 18.3 was the first to append, and HTTP/2 responses did not for longer.
    if (original === undefined) continue;
    methods[change] = function (this: ServerResponse, name: string, ...values: unknown[]): unknown {
      if (isWatching) changing(change, String(name), values[0]);
      return original.call(this, name, ...values);
    };
  }
  const { stream } = response as { stream?: Http2Stream };
  // Over HTTP/2 `writeHead` does not set one by one what it is given.
  if (stream?.respond !== undefined) {
    const { respond } = stream;
    stream.respond = (headers, ...options) => {
      for (const name of Object.keys(headers)) if (isWatching) changing('setHeader', name, headers[name]);
      respond.call(stream, headers, ...options);
    };
  }
  return () => {
    isWatching = false;
  };
};
