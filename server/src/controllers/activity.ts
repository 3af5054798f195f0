import type { Core } from '@strapi/strapi';
import type { Context } from 'koa';
import { listActivity } from '../admin-api/activity-list';
import { getRunning } from '../plugin/running';

export default ({ strapi }: { strapi: Core.Strapi }) => ({
  list(ctx: Context): void {
    ctx.body = { results: listActivity(getRunning(strapi)) };
  },
});
