import type { Core } from '@strapi/strapi';
import type { Context } from 'koa';
import { strategyToJson } from '../config/resolved-config';
import { getRunning } from '../plugin/rest-cache';

export default ({ strapi }: { strapi: Core.Strapi }) => ({
  strategy(ctx: Context): void {
    ctx.body = strategyToJson(getRunning(strapi).config.strategy);
  },

  /** Never the provider's options: they may hold credentials. */
  provider(ctx: Context): void {
    const { name, getTimeout } = getRunning(strapi).config.provider;
    ctx.body = { name, getTimeout };
  },
});
