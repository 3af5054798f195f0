import type { Core } from '@strapi/strapi';
import { PERMISSION_ACTIONS } from './permissions';
import { getRunning } from './runtime/running';

export default async ({ strapi }: { strapi: Core.Strapi }): Promise<void> => {
  await strapi.service('admin::permission').actionProvider.registerMany(PERMISSION_ACTIONS);
  const restCache = getRunning(strapi);
  for (const warning of restCache.config.warnings) strapi.log.warn(`[rest-cache] ${warning}`);
  if (restCache.config.strategy.resetOnStartup) await restCache.reset();
};
