import type { Core } from '@strapi/strapi';
import type { Context } from 'koa';
import { entriesRequest, entryKeyInBody, entryKeyInQuery, entryDetail, listEntries } from '../admin-api/entries';
import { getRunning } from '../plugin/rest-cache';

export default ({ strapi }: { strapi: Core.Strapi }) => ({
  async list(ctx: Context): Promise<void> {
    ctx.body = await listEntries(getRunning(strapi), entriesRequest(ctx.query));
  },

  async detail(ctx: Context): Promise<void> {
    const detail = await entryDetail(getRunning(strapi), entryKeyInQuery(ctx.query));
    if (detail === undefined) (ctx as Context & { notFound(message: string): void }).notFound('There is no such entry');
    else ctx.body = detail;
  },

  async purge(ctx: Context): Promise<void> {
    ctx.body = { entries: await getRunning(strapi).purgeEntry(entryKeyInBody(ctx.request.body)) };
  },
});
