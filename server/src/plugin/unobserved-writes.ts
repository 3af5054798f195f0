import type { Core } from '@strapi/strapi';
import { EVERYTHING } from '../cache/tag';
import type { Provider } from '../cache/provider';
import { isSafeMethod } from '../http/safe-method';

/**
 * For an instance that cannot see what it writes: the entries of those it shares a store with go with everything it may
 * have written, at its boot and with each request that is no mere read.
 */
export const stampUnobservedWrites = async (strapi: Core.Strapi, provider: Provider): Promise<void> => {
  strapi.server.use(async ({ method }, next) => {
    try {
      await next();
    } finally {
      if (!isSafeMethod(method)) await provider.invalidate([EVERYTHING]);
    }
  });
  await provider.invalidate([EVERYTHING]);
};
