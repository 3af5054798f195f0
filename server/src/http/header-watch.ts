import type { ServerResponse } from 'node:http';

/** How a header is about to change. */
export type HeaderChange = 'setHeader' | 'appendHeader' | 'removeHeader';

const CHANGES: readonly HeaderChange[] = ['setHeader', 'appendHeader', 'removeHeader'];

type ChangeHeader = (name: string, ...values: unknown[]) => unknown;

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
  return () => {
    isWatching = false;
  };
};
