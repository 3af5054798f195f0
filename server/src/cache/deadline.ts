import type { Milliseconds } from './milliseconds';

/** An operation of the store took longer than it may. */
export class DeadlineExceeded extends Error {
  constructor(readonly limit: Milliseconds) {
    super(`The cache store did not answer within ${limit} ms`);
    this.name = 'DeadlineExceeded';
  }
}

/**
 * The promise's outcome, or {@link DeadlineExceeded} after `limit` milliseconds. The operation itself goes on; its late
 * outcome is ignored.
 */
export const withDeadline = <T>(operation: Promise<T>, limit: Milliseconds): Promise<T> =>
  new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => reject(new DeadlineExceeded(limit)), limit);
    operation.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        // What it was rejected with, whatever that is.
        // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
        reject(error);
      },
    );
  });
