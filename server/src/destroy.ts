import type { Core } from '@strapi/strapi';
import { findRunning } from './plugin/rest-cache';

/**
 * Strapi calls this before its HTTP server stops: requests may still arrive, and are answered by the origin. What they
 * and open transactions still commit is told to the other instances: the store is closed after the database.
 */
export default async ({ strapi }: { strapi: Core.Strapi }): Promise<void> => {
  await findRunning(strapi)?.retire();
};
