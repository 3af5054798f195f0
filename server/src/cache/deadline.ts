import type { Milliseconds } from './milliseconds';
import { said, type Sentence } from './sentence';

/** An operation of the store took longer than its deadline. */
export class DeadlineExceeded extends Error {
  readonly sentence: Sentence;

  constructor(readonly limit: Milliseconds) {
    const sentence = said('store-late')`the cache store did not answer within ${limit} ms`;
    super(sentence.text);
    this.sentence = sentence;
    this.name = 'DeadlineExceeded';
  }
}

/**
 * Settles as `operation` does, or rejects with {@link DeadlineExceeded} after `limit` milliseconds. The operation
 * itself continues; its late outcome is ignored.
 */
export const withDeadline = <T>(operation: Promise<T>, limit: Milliseconds): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DeadlineExceeded(limit)), limit);
  });
  return Promise.race([operation, late]).finally(() => clearTimeout(timer));
};
