import type { Core } from '@strapi/strapi';
import type { Context } from 'koa';
import { because, type StorableComputation, type UnstorableComputation } from '../cache/response-cache';
import { said, type Sentence } from '../cache/sentence';
import { EVERYTHING, type Tag } from '../cache/tag';
import type { ResolvedRoute } from '../config/resolved-config';
import {
  columnTag,
  contentTypeTag,
  namedBy,
  narrowingTags,
  pathTag,
  substanceTag,
  tableTag,
} from '../dependencies/tags';
import { type AuthState, type Identity, REPEATABLE_CALLERS } from '../http/caller-identity';
import { matchedParams, matchedPath } from '../http/request-key';
import { earliest, type ReadsElsewhere } from '../observe/reads-elsewhere';
import type { Recording } from '../observe/recording';
import { actionOf } from '../config/application-facts';
import { routeOf } from '../handlers/chosen-route';
import { mayShareWork } from '../handlers/shared-work';

export interface SourceSettings {
  readonly strapi: Core.Strapi;
  readonly route: ResolvedRoute;
  /** With `clearRelatedCache: false`, the only tables whose changes matter; `undefined` if all of them do. */
  readonly ownTables: ReadonlySet<string> | undefined;
}

type Sources = Pick<StorableComputation, 'tags' | 'since' | 'readElsewhere' | 'granted'>;

/**
 * What the answer was made of: everything that was read for it, and what other work has read that the answer may have
 * waited for. An answer whose sources are not known is not stored.
 *
 * @param mayJoin whether its handler may have waited for the work of others.
 * @param readsElsewhere what other work reads while an answer is made.
 */
export const sourcesOf = (
  ctx: Context,
  recording: Recording | undefined,
  identity: Identity,
  { strapi, route, ownTables }: SourceSettings,
  mayJoin: ResolvedRoute['sharesWork'],
  readsElsewhere: ReadsElsewhere,
): Sources | UnstorableComputation => {
  const ofInterest = (content: ReadonlySet<Tag> = new Set()): Tag[] =>
    ownTables === undefined ? [...content] : [...content].filter((name) => ownTables.has(namedBy(name).table ?? ''));
  if (recording === undefined) return unknown(said('not-observed')`its reads were not observed`);
  if (recording.unstorable !== undefined) return unknown(recording.unstorable);
  const shown = shownByAuthentication(ctx, recording, identity, route.keys.useAuth === 'role');
  const early = ofInterest(recording.early).length > 0 || shown.length > 0;
  const { hasReadForAnswer, isByStrapi } = recording;
  const joins =
    mayJoin === 'always' ||
    (mayJoin && (!hasReadForAnswer || (!isByStrapi && mayShareWork(strapi, chosenAction(ctx)))));
  const elsewhere = joins ? readsElsewhere.beside(recording) : undefined;
  const taken = ofInterest(elsewhere?.tags).filter((name) => !recording.content.has(name));
  if (elsewhere?.unstorable !== undefined)
    return unknown(said('at-same-time')`a request or job that ran at the same time: ${elsewhere.unstorable}`, true);
  const numbers = [...(early ? [recording.since] : []), ...(taken.length > 0 ? [elsewhere?.since] : [])];
  const since = earliest(numbers);
  if (numbers.length > 0 && since === undefined)
    return unknown(
      said('read-early')`something was read before the route, when the store could not say what was current`,
      true,
    );
  return {
    tags: [
      ...ofInterest(recording.content),
      ...shown,
      ...taken,
      EVERYTHING,
      contentTypeTag(route.contentType),
      ...narrowingTags(route.contentType, matchedParams(ctx, route.paramNames)),
      ...(recording.content.size === 0 ? [pathTag(matchedPath(ctx))] : []),
    ],
    since,
    readElsewhere: taken.length > 0 ? true : undefined,
    granted: recording.granted.size === 0 ? undefined : [...recording.granted],
  };
};

const chosenAction = (ctx: Context): string | undefined => {
  const { handler, info } = routeOf(ctx) ?? {};
  return actionOf({ handler, ...info });
};

const unknown = (about: Sentence, isPassing?: true): UnstorableComputation => ({
  unstorable: { ...because('sources', about), isPassing },
});

const ROLES_OF_USERS = 'up_users_role_lnk';

/**
 * Tables that say who may do what. No answer shows them, so entries stay when they change, except where users of a role
 * share answers: there, none outlives the permissions that it was made with, nor those of visitors and tokens. The table
 * of permissions does not say whose it is, so one that is made or deleted ends the answers of all roles.
 */
const PERMISSIONS: readonly string[] = [
  ROLES_OF_USERS,
  'up_permissions',
  'up_permissions_role_lnk',
  'strapi_api_token_permissions',
  'strapi_api_token_permissions_token_lnk',
];

/** Other tables that Strapi's own strategies read. Handlers find only the caller's own rows, in `ctx.state`. */
const CREDENTIALS: readonly string[] = ['up_users', 'up_roles', 'strapi_api_tokens', 'strapi_core_store_settings'];

/**
 * Tags of what authentication has read and handlers may show: the caller in `ctx.state.user` or `ctx.state.auth`, and
 * anything that a strategy has put there besides. An answer for all users of a role shows nothing of the caller but the
 * role, and stays when one of them is moved to another.
 */
const shownByAuthentication = (ctx: Context, recording: Recording, identity: Identity, isByRole: boolean): Tag[] => {
  const { auth } = ctx.state as { auth?: AuthState };
  // For these callers, it is known which rows are on the context.
  const isKnown = identity.kind === 'role' || REPEATABLE_CALLERS.has(identity.kind);
  const isShown = (table: string): boolean =>
    PERMISSIONS.includes(table)
      ? isByRole && (identity.kind !== 'role' || table !== ROLES_OF_USERS)
      : !isKnown || !CREDENTIALS.includes(table);
  const read = recording.permissionReads
    .filter(({ tables }) => tables.some(isShown))
    .flatMap(({ tags }) => tags())
    .filter((name) => isShown(namedBy(name).table ?? ''));
  return isKnown ? [...credentialTags(identity, auth?.credentials, isByRole), ...read] : read;
};

const credentialTags = ({ kind }: Identity, credentials: unknown, isByRole: boolean): Tag[] => {
  const { id, role } = (credentials ?? {}) as { id?: unknown; role?: { id?: unknown } };
  const ofRole = [...ROLE_NAMES, ...(isByRole ? rowTags('up_roles', role?.id) : [])];
  if (kind === 'role') return ofRole;
  if (kind === 'user') return [...rowTags('up_users', id), ...ofRole];
  return kind === 'token' ? rowTags('strapi_api_tokens', id) : [];
};

/**
 * The parts of a role that an answer may show. When a role is saved with other permissions, as the admin panel does, its
 * description and time stamps are written as well. Answers are taken not to show these, so they are left out, except
 * where users of a role share answers.
 */
const ROLE_NAMES: readonly Tag[] = [
  tableTag('up_roles'),
  columnTag('up_roles', '', 'name'),
  columnTag('up_roles', '', 'type'),
];

/** Tags of a row, but not of its time stamps: moving a user to another role sets one, and that must purge nothing. */
const rowTags = (table: string, id: unknown): Tag[] =>
  typeof id === 'number' || typeof id === 'string' ? [tableTag(table), substanceTag(table, String(id))] : [];
