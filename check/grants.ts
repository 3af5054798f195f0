import { actionOf, type ApplicationFacts, type RouteFacts } from '../server/src/config/application-facts';
import type { ResolvedStrategy } from '../server/src/config/resolved-config';
import { PURGE_ACTION, purgePath } from '../server/src/plugin/boot-warnings';
import type { Holder } from './read-grants';

const ADMIN_PURGE = 'plugin::rest-cache.cache.purge';

/**
 * One sentence for each finding: who keeps a grant, who needs one, and which routes are cached for nobody because of
 * missing grants.
 */
export const reportGrants = (
  holders: readonly Holder[],
  strategy: ResolvedStrategy,
  { routes, restPrefix }: Pick<ApplicationFacts, 'routes' | 'restPrefix'>,
): string[] => [
  ...purgeRoute(holders, strategy, purgePath(restPrefix)),
  ...adminRoles(holders),
  ...unreadable(holders, strategy, routes),
];

const inWords = ({ kind, name }: Holder): string =>
  kind === 'token' ? `the API token "${name}"` : `the ${kind} "${name}"`;

const listed = (holders: readonly Holder[]): string => holders.map(inWords).join(', ');

const capital = (sentence: string): string => sentence.charAt(0).toUpperCase() + sentence.slice(1);

/** Whether the holder may do it. Strapi allows everything to API tokens of the type `full-access`. */
const mayDo = ({ kind, type, actions }: Holder, action: string): boolean =>
  actions.has(action) || (kind === 'token' && type === 'full-access');

const purgeRoute = (
  holders: readonly Holder[],
  { enableContentApiPurge }: ResolvedStrategy,
  path: string,
): string[] => {
  const callers = holders.filter(({ kind }) => kind !== 'admin role');
  const able = callers.filter((holder) => mayDo(holder, PURGE_ACTION));
  const isPublic = ({ kind, type }: Holder): boolean => kind === 'role' && type === 'public';
  const keeping = able.filter((holder) => !isPublic(holder));
  const granted = keeping.filter(({ actions }) => actions.has(PURGE_ACTION));
  if (!enableContentApiPurge)
    return granted.length === 0
      ? []
      : [
          `${capital(listed(granted))}: the grant of ${PURGE_ACTION} stays, but POST ${path} answers 404 ` +
            'while strategy.enableContentApiPurge is not true.',
        ];
  return [
    keeping.length > 0
      ? `${capital(listed(keeping))} may call POST ${path} (${PURGE_ACTION}), as before.`
      : `Nobody may call POST ${path}: grant ${PURGE_ACTION} to a role under Settings → Users & Permissions, ` +
        'or to an API token of the type "custom".',
    ...able
      .filter(isPublic)
      .map(
        (holder) =>
          `${capital(inWords(holder))} is granted ${PURGE_ACTION}, which has no effect: callers without credentials are ` +
          'refused. Grant it to Authenticated or to an API token.',
      ),
  ];
};

/** Super admins are left out: Strapi grants them everything at each boot. */
const adminRoles = (holders: readonly Holder[]): string[] => {
  const roles = holders.filter(({ kind, type }) => kind === 'admin role' && type !== 'strapi-super-admin');
  const keeping = roles.filter(({ actions }) => actions.has(ADMIN_PURGE));
  const needing = roles.filter(
    ({ actions }) =>
      !actions.has(ADMIN_PURGE) && [...actions].some((action) => action.startsWith('plugin::strapi-cache.')),
  );
  return [
    ...(keeping.length === 0 ? [] : [`${capital(listed(keeping))}: the grant of ${ADMIN_PURGE} stays.`]),
    ...needing.map(
      (role) =>
        `${capital(inWords(role))} purges with strapi-cache: grant ${ADMIN_PURGE} under Settings → Roles. Strapi deletes ` +
        "the role's permissions of strapi-cache once that plugin is removed.",
    ),
  ];
};

/** Reports routes on which nothing is ever cached: all callers that may read them bypass the cache. */
const unreadable = (
  holders: readonly Holder[],
  strategy: ResolvedStrategy,
  routes: readonly RouteFacts[],
): string[] => {
  const everybody = holders.find(({ kind, type }) => kind === 'role' && type === 'public');
  if (everybody === undefined) return [];
  /** The first route at a path is the one that answers. */
  const actionAt = (path: string): string | undefined => {
    const route = routes.find((mounted) => mounted.path === path);
    return route === undefined || route.config.auth === false ? undefined : actionOf(route);
  };
  const forNobody = strategy.contentTypes
    .flatMap((contentType) => contentType.routes)
    .filter(({ hitpass, path }) => {
      const action = actionAt(path);
      return hitpass === true && action !== undefined && !everybody.actions.has(action);
    });
  return forNobody.map(
    ({ path }) =>
      `GET ${path}: the role "${everybody.name}" is not granted ${actionAt(path) ?? ''}, and callers with credentials ` +
      'bypass the cache (hitpass: true), so nothing is cached for it. Grant it, or write hitpass: false with keys: { ' +
      'useAuth: true }.',
  );
};
