import type { Core } from '@strapi/strapi';
import type { Context } from 'koa';
import { summarise } from '../admin-api/stats-summary';
import { getRunning } from '../plugin/running';

export default ({ strapi }: { strapi: Core.Strapi }) => ({
  async summary(ctx: Context): Promise<void> {
    ctx.body = await summarise(getRunning(strapi));
  },
});
