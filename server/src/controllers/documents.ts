import type { Core } from '@strapi/strapi';
import { errors } from '@strapi/utils';
import type { Context } from 'koa';
import { purgeDocumentsRequest } from '../http/purge-documents-request';
import { documentEntries } from '../runtime/document-entries';
import { invalidationTags } from '../runtime/invalidation-request';
import { purgeCounted } from '../runtime/purge';
import { getRunning } from '../runtime/running';

export default ({ strapi }: { strapi: Core.Strapi }) => ({
  /** For the content manager: whose documents can be purged. */
  contentTypes(ctx: Context): void {
    ctx.body = { contentTypes: getRunning(strapi).config.strategy.contentTypes.map(({ uid }) => uid) };
  },

  async usage(ctx: Context): Promise<void> {
    const { uid = '', documentId = '' } = (ctx as Context & { params: Record<string, string | undefined> }).params;
    const restCache = getRunning(strapi);
    if (!restCache.isCached(uid)) throw new errors.ValidationError(`"${uid}" is not a cached content type`);
    ctx.body = await documentEntries(restCache, uid, documentId);
  },

  async purge(ctx: Context): Promise<void> {
    const restCache = getRunning(strapi);
    const { contentType, documents } = purgeDocumentsRequest(ctx.request.body, (uid) => restCache.isCached(uid));
    const tags = await invalidationTags(restCache, {
      documents: documents.map((documentId) => ({ contentType, documentId })),
    });
    const subject = { kind: 'documents', uid: contentType, documentIds: documents } as const;
    ctx.body = { entries: await purgeCounted(restCache, subject, tags) };
  },
});
