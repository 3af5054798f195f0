import type { Core } from '@strapi/strapi';
import { findRunning } from './plugin/rest-cache';

/**
 * Strapi calls this before its HTTP server stops: requests may still arrive, and are answered by the origin. What they
 * and open transactions commit is still reported to other instances, because the store is closed after the database.
 */
export default async ({ strapi }: { strapi: Core.Strapi }): Promise<void> => {
  await findRunning(strapi)?.retire();
};
