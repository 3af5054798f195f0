import cluster from 'node:cluster';
import type { Core } from '@strapi/strapi';
import { PERMISSION_ACTIONS } from './permissions';
import { publicPurgeWarnings } from './runtime/public-purge';
import { getRunning } from './runtime/running';
import { severalProcessesWarnings } from './runtime/several-processes';

export default async ({ strapi }: { strapi: Core.Strapi }): Promise<void> => {
  await strapi.service('admin::permission').actionProvider.registerMany(PERMISSION_ACTIONS);
  const restCache = getRunning(strapi);
  const isReloaded = strapi.config.get('autoReload', false);
  restCache.warnings = [
    ...restCache.config.warnings,
    ...severalProcessesWarnings(restCache.config.provider, {
      env: process.env,
      isWorker: cluster.isWorker,
      isReloaded,
    }),
    ...(await publicPurgeWarnings(strapi, restCache.config.strategy)),
  ];
  for (const warning of restCache.warnings) strapi.log.warn(`[rest-cache] ${warning}`);
  if (restCache.config.strategy.resetOnStartup) await restCache.reset();
};
