import { Readable } from 'node:stream';
import type { Core } from '@strapi/strapi';

export default ({ strapi }: { strapi: Core.Strapi }): Core.Controller => ({
  articles(ctx) {
    ctx.type = 'application/x-ndjson';
    ctx.body = Readable.from(strapi.service('api::export.export').lines());
  },
});
