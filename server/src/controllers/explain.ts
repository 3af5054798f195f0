import type { Core } from '@strapi/strapi';
import type { Context } from 'koa';
import { z } from 'zod';
import { badRequest, parseRequest, text } from '../admin-api/request';
import { explainRequest, knownCallers } from '../admin-api/explain-request';
import { explain } from '../admin-api/explain';
import { getRunning } from '../plugin/rest-cache';

const callersQuery = z.object({ search: text(200).default('') });

export default ({ strapi }: { strapi: Core.Strapi }) => ({
  async request(ctx: Context): Promise<void> {
    const request = explainRequest(ctx.request.body);
    const explanation = await explain(getRunning(strapi), request);
    if (explanation === undefined) {
      throw badRequest(`There is no such ${request.as.kind === 'token' ? 'API token' : 'user'}`);
    }
    ctx.body = explanation;
  },

  async callers(ctx: Context): Promise<void> {
    const { search } = parseRequest(callersQuery, ctx.query, 'The query is ?search=…');
    ctx.body = await knownCallers(strapi, search);
  },
});
