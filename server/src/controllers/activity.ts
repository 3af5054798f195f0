import type { Core } from '@strapi/strapi';
import type { Context } from 'koa';
import { listActivity } from '../admin-api/activity';
import { getRunning } from '../plugin/rest-cache';

export default ({ strapi }: { strapi: Core.Strapi }) => ({
  list(ctx: Context): void {
    ctx.body = { results: listActivity(getRunning(strapi)) };
  },
});
