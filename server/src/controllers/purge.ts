import type { Core } from '@strapi/strapi';
import type { Context } from 'koa';
import { purgeRequest } from '../http/purge-request';
import { getRunning } from '../runtime/running';

export default ({ strapi }: { strapi: Core.Strapi }) => ({
  async byContentType(ctx: Context): Promise<void> {
    const restCache = getRunning(strapi);
    const { contentType, params } = purgeRequest(ctx.request.body, (uid) => restCache.isCached(uid));
    await restCache.purge(contentType, params);
    ctx.body = {};
  },

  async everything(ctx: Context): Promise<void> {
    await getRunning(strapi).reset();
    ctx.body = {};
  },

  disabled(ctx: Context): void {
    (ctx as Context & { notFound(): void }).notFound();
  },
});
