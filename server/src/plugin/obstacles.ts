import type { Core } from '@strapi/strapi';
import { EVERYTHING } from '../cache/tag';
import { ConfigurationError } from '../config/configuration-error';
import { isSafeMethod } from '../http/request-message';
import type { InvalidationSink } from '../observe/commit-and-stamp';

/**
 * The reasons why nothing is cached, if there are any. Strapi and knex may not look as this release expects, so the
 * boot uses their internals only through `attempt`: a failure is a reason to cache nothing, and never stops the boot.
 */
export class Obstacles {
  readonly #reasons: string[] = [];

  get all(): readonly string[] {
    return this.#reasons;
  }

  /** `undefined` if there are no reasons. */
  get first(): string | undefined {
    return this.#reasons[0];
  }

  add(reason: string): void {
    this.#reasons.push(reason);
  }

  /**
   * Does work that may fail if Strapi does not look as expected.
   *
   * @param what the part of Strapi that the work uses, as the beginning of a sentence.
   * @param otherwise returns the result to go on with if the work fails; without it, that is `undefined`.
   * @throws ConfigurationError: a wrong configuration does stop the boot.
   */
  attempt<T, E = undefined>(what: string, work: () => Promise<T>, otherwise?: () => E): Promise<T | E>;
  attempt<T, E = undefined>(what: string, work: () => T, otherwise?: () => E): T | E;
  attempt<T, E>(
    what: string,
    work: () => T | Promise<T>,
    otherwise?: () => E,
  ): T | E | undefined | Promise<T | E | undefined> {
    const failed = (error: unknown): E | undefined => {
      if (error instanceof ConfigurationError) throw error;
      this.add(`${what} does not look as expected: ${error instanceof Error ? error.message : String(error)}`);
      return otherwise?.();
    };
    try {
      const done = work();
      return done instanceof Promise ? done.catch(failed) : done;
    } catch (error) {
      return failed(error);
    }
  }
}

/**
 * For an instance that cannot observe its own writes: invalidates everything in the store that it shares with other
 * instances, at its boot and after each request that may write.
 */
export const stampUnobservedWrites = async (strapi: Core.Strapi, sink: InvalidationSink): Promise<void> => {
  strapi.server.use(async ({ method }, next) => {
    try {
      await next();
    } finally {
      if (!isSafeMethod(method)) await sink.invalidate([EVERYTHING]);
    }
  });
  await sink.invalidate([EVERYTHING]);
};
