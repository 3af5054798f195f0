import type { Core } from '@strapi/strapi';
import type { Context } from 'koa';
import { entriesRequest } from '../http/entries-request';
import { listEntries } from '../runtime/entry-list';
import { getRunning } from '../runtime/running';

export default ({ strapi }: { strapi: Core.Strapi }) => ({
  async list(ctx: Context): Promise<void> {
    ctx.body = await listEntries(getRunning(strapi), entriesRequest(ctx.query));
  },
});
