import { listActivity } from '../admin-api/activity';
import { documentEntries } from '../admin-api/documents';
import { entryDetail, listEntries, purgeEntries } from '../admin-api/entries';
import { explain } from '../admin-api/explain';
import { knownCallers } from '../admin-api/known-callers';
import { reportMetrics, scrapeMetrics } from '../admin-api/metrics';
import { previewPurge, purgeContentType, purgeDocuments, purgeEverything } from '../admin-api/purge';
import { bodyAlone, controller } from '../admin-api/request';
import { heldByRoute, reportRoutes } from '../admin-api/routes';
import { summarise } from '../admin-api/stats';
import { acknowledge } from '../admin-api/warnings';
import { strategyToJson } from '../config/resolved-config';
import { withCommunityNames } from '../plugin/community-names';

/** Maps each action to the part of the admin API that answers it. */
export default {
  activity: controller({
    list: async (restCache, { state }) => ({ results: await listActivity(restCache, state.userAbility) }),
  }),
  config: controller({
    strategy: ({ strapi, config }) => {
      const json = strategyToJson(config.strategy);
      const contentTypes = json.contentTypes.map((contentType) => withCommunityNames(strapi, contentType));
      // Under `strategy` as well, as @strapi-community/plugin-rest-cache returns it.
      return { ...json, contentTypes, strategy: { ...json, contentTypes } };
    },
    // Never the provider's options: they may hold credentials.
    provider: ({ config: { provider } }) => ({ name: provider.name, getTimeout: provider.getTimeout }),
  }),
  documents: controller({
    // For the content manager: the content types whose documents can be purged.
    contentTypes: ({ documentUids }) => ({ contentTypes: documentUids }),
    usage: (restCache, { params }) => documentEntries(restCache, params),
    purge: (restCache, ctx) => purgeDocuments(restCache, bodyAlone(ctx)),
  }),
  entries: controller({
    list: (restCache, { query }) => listEntries(restCache, query),
    detail: async (restCache, ctx) =>
      (await entryDetail(restCache, ctx.method === 'POST' ? bodyAlone(ctx) : ctx.query)) ??
      ctx.notFound('There is no such cached response'),
    purge: (restCache, ctx) => purgeEntries(restCache, bodyAlone(ctx)),
  }),
  explain: controller({
    request: (restCache, { request }) => explain(restCache, request.body),
    callers: ({ strapi }, { query }) => knownCallers(strapi, query),
  }),
  metrics: controller({
    report: (restCache) => reportMetrics(restCache),
    prometheus: (restCache, ctx) => scrapeMetrics(restCache, ctx),
  }),
  purge: controller({
    byContentType: (restCache, ctx) => purgeContentType(restCache, bodyAlone(ctx)),
    // Roles and tokens are granted the action of this name.
    contentApi: (restCache, ctx) =>
      restCache.config.strategy.enableContentApiPurge ? purgeContentType(restCache, bodyAlone(ctx)) : ctx.notFound(),
    preview: (restCache, ctx) => previewPurge(restCache, bodyAlone(ctx)),
    everything: (restCache, ctx) => purgeEverything(restCache, bodyAlone(ctx)),
  }),
  routes: controller({
    report: (restCache) => reportRoutes(restCache),
    held: (restCache) => heldByRoute(restCache),
  }),
  stats: controller({
    summary: (restCache) => summarise(restCache),
  }),
  warnings: controller({
    acknowledge: (restCache, { request }) => acknowledge(restCache, request.body),
  }),
};
