import type { Core } from '@strapi/strapi';
import { findRunning } from './runtime/running';

/** Strapi calls this before its HTTP server stops: requests may still arrive, and are answered by the origin. */
export default async ({ strapi }: { strapi: Core.Strapi }): Promise<void> => {
  await findRunning(strapi)?.close();
};
