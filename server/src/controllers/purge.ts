import type { Core } from '@strapi/strapi';
import type { Context } from 'koa';
import { purgeable, purgeRequest, purgeCounted } from '../admin-api/purge';
import { contentTypeSubject, purgeTags } from '../plugin/content-type-purge';
import { getRunning } from '../plugin/rest-cache';

export default ({ strapi }: { strapi: Core.Strapi }) => ({
  async byContentType(ctx: Context): Promise<void> {
    const restCache = getRunning(strapi);
    const { contentType, params } = purgeRequest(ctx.request.body, purgeable(restCache.config));
    await restCache.purge(contentType, params);
    ctx.body = {};
  },

  /** For the panel: like {@link byContentType}, and counts what goes, which enumerates the store. */
  async byContentTypeCounted(ctx: Context): Promise<void> {
    const restCache = getRunning(strapi);
    const { contentType, params } = purgeRequest(ctx.request.body, purgeable(restCache.config));
    const subject = contentTypeSubject(contentType, params);
    ctx.body = { entries: await purgeCounted(restCache, subject, purgeTags(contentType, params)) };
  },

  async everything(ctx: Context): Promise<void> {
    ctx.body = { entries: (await getRunning(strapi).reset()) ?? null };
  },

  disabled(ctx: Context): void {
    (ctx as Context & { notFound(): void }).notFound();
  },
});
