import type { Core } from '@strapi/strapi';
import type { Context } from 'koa';
import type { Registry } from 'prom-client';
import { systemClock } from '../cache/clock';
import { reportMetrics } from '../admin-api/metrics';
import { prometheusRegistry } from '../monitor/prometheus';
import { getRunning } from '../plugin/rest-cache';

export default ({ strapi }: { strapi: Core.Strapi }) => {
  let registry: Registry | undefined;
  return {
    async report(ctx: Context): Promise<void> {
      ctx.body = await reportMetrics(getRunning(strapi), systemClock.now());
    },

    async prometheus(ctx: Context): Promise<void> {
      const { observability, provider, obstacles } = getRunning(strapi);
      registry ??= prometheusRegistry(observability.metrics, provider, () => obstacles.first === undefined);
      ctx.body = await registry.metrics();
      ctx.set('Content-Type', registry.contentType);
    },
  };
};
