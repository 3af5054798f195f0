import type { Core } from '@strapi/strapi';
import type { ResolvedStrategy } from '../config/resolved-config';

const ACTION = 'plugin::rest-cache.purge.byContentType';
const PERMISSION = 'plugin::users-permissions.permission';

/** A grant that has no effect: the route wants credentials (routes/content-api.ts). */
export const publicPurgeWarnings = async (
  strapi: Core.Strapi,
  { enableContentApiPurge }: Pick<ResolvedStrategy, 'enableContentApiPurge'>,
): Promise<readonly string[]> => {
  if (!enableContentApiPurge || !strapi.db.metadata.has(PERMISSION)) return [];
  const grants = await strapi.db.query(PERMISSION).count({ where: { action: ACTION, role: { type: 'public' } } });
  if (grants === 0) return [];
  return [
    `The role Public is granted ${ACTION}, which has no effect: POST /api/rest-cache/purge refuses callers without ` +
      'credentials. Under Settings → Users & Permissions → Roles, take it from Public and grant it to Authenticated, or ' +
      'to an API token.',
  ];
};
