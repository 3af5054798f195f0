import type { Core } from '@strapi/strapi';
import type { Context } from 'koa';
import { documentInPath, purgeDocumentsRequest, documentEntries } from '../admin-api/documents';
import { invalidationTags, purgeCounted } from '../admin-api/purge';
import { type RestCache, getRunning } from '../plugin/rest-cache';

const cachedUids = ({ config }: RestCache): string[] => config.strategy.contentTypes.map(({ uid }) => uid);

export default ({ strapi }: { strapi: Core.Strapi }) => ({
  /** For the content manager: whose documents can be purged. */
  contentTypes(ctx: Context): void {
    ctx.body = { contentTypes: cachedUids(getRunning(strapi)) };
  },

  async usage(ctx: Context): Promise<void> {
    const restCache = getRunning(strapi);
    const { uid, documentId } = documentInPath((ctx as Context & { params: unknown }).params, cachedUids(restCache));
    ctx.body = await documentEntries(restCache, uid, documentId);
  },

  async purge(ctx: Context): Promise<void> {
    const restCache = getRunning(strapi);
    const { contentType, documents } = purgeDocumentsRequest(ctx.request.body, cachedUids(restCache));
    const tags = await invalidationTags(restCache, {
      documents: documents.map((documentId) => ({ contentType, documentId })),
    });
    const subject = { kind: 'documents', uid: contentType, documentIds: documents } as const;
    ctx.body = { entries: await purgeCounted(restCache, subject, tags) };
  },
});
