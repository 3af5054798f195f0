import type { Core } from '@strapi/strapi';
import type { Context } from 'koa';
import { summarise } from '../admin-api/stats';
import { getRunning } from '../plugin/rest-cache';

export default ({ strapi }: { strapi: Core.Strapi }) => ({
  async summary(ctx: Context): Promise<void> {
    ctx.body = await summarise(getRunning(strapi));
  },
});
