import type { Context } from 'koa';
import type { Tag } from '../cache/tag';
import { columnTag, substanceTag, tableOf, tableTag } from '../dependencies/dependency-tags';
import type { PermissionRead, Recording } from '../observe/recording';
import type { AuthState, Identity } from '../http/caller-identity';
import type { Core } from '@strapi/strapi';

/** Who may do what, in no answer: entries stay when it changes. */
const PERMISSIONS: readonly string[] = [
  'up_permissions',
  'up_permissions_role_lnk',
  'up_users_role_lnk',
  'strapi_api_token_permissions',
  'strapi_api_token_permissions_token_lnk',
];

/** What Strapi's own strategies read besides: of these only the caller's own rows are at hand in `ctx.state`. */
const CREDENTIALS: readonly string[] = ['up_users', 'up_roles', 'strapi_api_tokens', 'strapi_core_store_settings'];

const NEVER_SHOWN: ReadonlySet<string> = new Set(PERMISSIONS);
const SHOWN_BY_ROW: ReadonlySet<string> = new Set([...PERMISSIONS, ...CREDENTIALS]);

/** Strategies of Strapi's whose credentials are known. */
const KNOWN_CALLERS: ReadonlySet<Identity['kind']> = new Set(['public', 'user', 'token']);

/**
 * What authentication has read and handlers may show: the caller in `ctx.state.user` or `ctx.state.auth`, and whatever
 * a strategy has put there beside it.
 */
export const shownByAuthentication = (ctx: Context, recording: Recording, identity: Identity): Tag[] => {
  const { auth } = ctx.state as { auth?: AuthState };
  const isKnown = KNOWN_CALLERS.has(identity.kind);
  const read = tagsRead(recording.permissionReads, isKnown ? SHOWN_BY_ROW : NEVER_SHOWN);
  return isKnown ? [...credentialTags(identity, auth?.credentials), ...read] : read;
};

const tagsRead = (reads: readonly PermissionRead[], hidden: ReadonlySet<string>): Tag[] =>
  reads
    .filter(({ tables }) => !tables.every((table) => hidden.has(table)))
    .flatMap(({ tags }) => tags())
    .filter((name) => !hidden.has(tableOf(name)));

const credentialTags = ({ kind }: Identity, credentials: unknown): Tag[] => {
  const { id } = (credentials ?? {}) as { id?: unknown };
  if (kind === 'user') return [...rowTags('up_users', id), ...ROLE_NAMES];
  return kind === 'token' ? rowTags('strapi_api_tokens', id) : [];
};

/** Saving a role with other permissions, as the admin panel does, writes its description and time stamps: no answer's. */
const ROLE_NAMES: readonly Tag[] = [
  tableTag('up_roles'),
  columnTag('up_roles', '', 'name'),
  columnTag('up_roles', '', 'type'),
];

/** Its time stamps aside: moving a user to another role sets one, and purges nothing. */
const rowTags = (table: string, id: unknown): Tag[] =>
  typeof id === 'number' || typeof id === 'string' ? [tableTag(table), substanceTag(table, String(id))] : [];

type Methods = Readonly<Record<string, unknown>>;

/**
 * Whether what answers is Strapi's own code for a content type's routes: a controller and a service made by Strapi's
 * factories of which the application has replaced nothing, whatever it has added.
 */
export const isStrapisOwnAction = (strapi: Core.Strapi, { state }: Context): boolean => {
  const { handler } = (state as { route?: { handler?: unknown } }).route ?? {};
  if (typeof handler !== 'string' || !handler.startsWith('api::')) return false;
  const end = handler.lastIndexOf('.');
  const [uid, action] = [handler.slice(0, end), handler.slice(end + 1)];
  const { controllers, services } = strapi as unknown as Record<'controllers' | 'services', Methods>;
  return isAsMade(controllers[uid], action, 'sanitizeOutput') && isAsMade(services[uid], action, 'getFetchParams');
};

/** @param known a method that those of Strapi's factories inherit. */
const isAsMade = (made: unknown, action: string, known: string): boolean => {
  if (typeof made !== 'object' || made === null) return false;
  const base = Object.getPrototypeOf(made) as Methods | null;
  if (base === null || typeof base[known] !== 'function' || Object.hasOwn(base, known)) return false;
  const isReplaced = (name: string): boolean => name in base && (made as Methods)[name] !== base[name];
  return action in base && !Object.keys(made).some(isReplaced);
};
