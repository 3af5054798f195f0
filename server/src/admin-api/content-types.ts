import type { Core, UID } from '@strapi/strapi';
import { letsCredentialsIn } from '../config/hitpass';
import type { ResolvedContentType, ResolvedRoute } from '../config/resolved-config';
import { GRAPHQL } from '../graphql/graphql-uid';
import type { LaneMode } from '../stack/stack-survey';
import type { Sentence } from '../cache/sentence';
import type { RestCache } from '../plugin/rest-cache';

/** A content type and the name under which the admin panel shows it. */
export interface NamedContentType {
  readonly uid: string;
  readonly displayName: string;
}

export interface LaneSummary {
  readonly mode: LaneMode;
  readonly blockedBy?: Sentence | undefined;
  readonly advice?: Sentence | undefined;
}

/**
 * Where a route's hits are answered, and what keeps them from being answered further out; `null` if it has no hits
 * because no response of it was ever stored.
 */
export const laneSummary = (
  { lanes, observability }: RestCache,
  { path, contentType }: ResolvedRoute,
): LaneSummary | null => {
  if (observability.metrics.storesNothing(path)) return null;
  if (contentType === GRAPHQL) return { mode: 'route' };
  const { lane: mode, blockedBy, advice } = lanes.ofRoute(path) ?? { lane: lanes.choice.mode };
  return { mode, blockedBy, advice };
};

export const namedContentType = (strapi: Core.Strapi, uid: string): NamedContentType => ({
  uid,
  displayName: strapi.contentTypes[uid as UID.ContentType]?.info.displayName ?? (uid === GRAPHQL ? 'GraphQL' : uid),
});

/** The cached content types, and GraphQL as a content type with one route if its answers are cached. */
export const shownContentTypes = ({ config, lanes: { endpoint } }: RestCache): readonly ResolvedContentType[] => {
  const { contentTypes } = config.strategy;
  if (endpoint === undefined) return contentTypes;
  const route = endpoint.routeOf(endpoint.path);
  const graphql = { ...route, uid: GRAPHQL, routes: [route], shownContentTypes: [], relatedContentTypes: [] };
  return [...contentTypes, graphql];
};

/** The uid of the content type whose main table this is; `table` is in lower case. */
export const contentTypeOfTable = ({ strapi, catalog }: RestCache, table: string): string | undefined => {
  const uid = catalog().typeOf(table) ?? '';
  return Object.hasOwn(strapi.contentTypes, uid) ? uid : undefined;
};

/** The content type that a write to the table changes: of a join table, the one that its first column refers to. */
export const writtenContentType = (restCache: RestCache, table: string): string | undefined => {
  const [owner] = restCache.catalog().facts(table)?.references.values() ?? [];
  return contentTypeOfTable(restCache, table) ?? (owner && contentTypeOfTable(restCache, owner));
};

/**
 * Who may be served whose response. `shared`: callers with credentials share entries, the unsafe configuration the
 * boot warns of. `role`: users of a role do, as far as handlers do not look at the caller. `keyed`: one entry per caller.
 * `public`: only what everybody may see is cached.
 */
export type Sharing = 'shared' | 'role' | 'keyed' | 'public';

/** The least safe first. */
const SHARINGS: readonly Sharing[] = ['shared', 'role', 'keyed', 'public'];

type Level = Pick<ResolvedRoute, 'hitpass' | 'keys'> & Partial<Pick<ResolvedRoute, 'isOpen'>>;

export const sharingOf = ({ hitpass, keys, isOpen = false }: Level): Sharing => {
  // With `useAuth`, requests with credentials bypass the cache on a route with `auth: false` (http/decision.ts).
  if (!letsCredentialsIn(hitpass) || (isOpen && keys.useAuth !== false)) return 'public';
  return keys.useAuth === false ? 'shared' : keys.useAuth === 'role' ? 'role' : 'keyed';
};

/** The least safe sharing among a content type's own settings and those of its routes. */
export const contentTypeSharing = (contentType: ResolvedContentType): Sharing => {
  const levels = [contentType, ...contentType.routes].map(sharingOf);
  return SHARINGS.find((sharing) => levels.includes(sharing)) ?? 'public';
};
