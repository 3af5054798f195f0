import type { Core } from '@strapi/strapi';
import { EVERYTHING } from '../cache/tag';
import { ConfigurationError } from '../config/configuration-error';
import { isSafeMethod } from '../http/request-message';
import type { InvalidationSink } from '../observe/commit-and-stamp';

/**
 * Why nothing is cached, if so. Strapi and knex may be made otherwise than this release expects. Whatever the boot asks
 * of their insides is asked here: what fails is a reason not to cache, never one for the application not to start.
 */
export class Obstacles {
  readonly #reasons: string[] = [];

  get all(): readonly string[] {
    return this.#reasons;
  }

  /** `undefined` where nothing is in the way. */
  get first(): string | undefined {
    return this.#reasons[0];
  }

  add(reason: string): void {
    this.#reasons.push(reason);
  }

  /**
   * Does what may fail where Strapi is not as expected.
   *
   * @param what of Strapi's that is asked, as the beginning of a sentence.
   * @param otherwise what to go on with where it fails; nothing, where it is left out.
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
 * For an instance that cannot see what it writes: the entries of those it shares a store with go with everything it may
 * have written, at its boot and with each request that is no mere read.
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
