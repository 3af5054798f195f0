import { SETTINGS_PATH } from '../plugin-id';
import type { Caller, EntryDetail } from '../api/responses';

const link = (view: string, query: Readonly<Record<string, string>>): string =>
  `${SETTINGS_PATH}/${view}?${new URLSearchParams(query).toString()}`;

/** A caller as it is written in a URL. */
export const callerToText = (caller: Caller): string =>
  caller.kind === 'anonymous' ? caller.kind : `${caller.kind}:${caller.id}`;

export const callerFromText = (text: string | null): Caller => {
  const [kind, id] = (text ?? '').split(':');
  return (kind === 'user' || kind === 'token') && id !== undefined && id !== '' ? { kind, id } : { kind: 'anonymous' };
};

/**
 * The caller of an entry, as far as the explain view can simulate it: users and API tokens; for a role, one of its
 * users. For other callers, the anonymous one.
 */
const callerOf = ({ identity, member }: Pick<EntryDetail, 'identity' | 'member'>): Caller => {
  const [kind, id = ''] = identity.split(':');
  if (member !== null) return { kind: 'user', id: member };
  if (kind === 'up' && id !== 'public') return { kind: 'user', id };
  return kind === 'token' ? { kind: 'token', id } : { kind: 'anonymous' };
};

/** A link to the explain view, filled in with the request that an entry answers. */
export const explainLink = ({ url, ...entry }: Pick<EntryDetail, 'url' | 'identity' | 'member'>): string =>
  link('explain', { url, as: callerToText(callerOf(entry)) });

/** Request headers that reproduce a bypass, by the reason of the bypass. */
const HEADERS: Readonly<Partial<Record<string, string>>> = {
  credentials: 'Cookie: any=cookie',
  'request-cache-control': 'Cache-Control: no-cache',
};

/** A link to the explain view, filled in with the latest request that was counted for a reason. */
export const explainReasonLink = (target: string, code: string): string => {
  const headers = HEADERS[code];
  return link('explain', { url: target, as: 'anonymous', ...(headers === undefined ? {} : { headers }) });
};

/** A link to a route in the table of routes, opened. */
export const routeLink = (path: string): string => link('routes', { route: path });

/** A link to the entries of one route. */
export const entriesLink = (route: string): string => link('entries', { route });

/** A link to the entries of one content type. */
export const typeEntriesLink = (contentType: string): string => link('entries', { contentType });

/** A link to the settings of one content type. */
export const configurationLink = (contentType: string): string => link('configuration', { contentType });

/** The path of the server's route about a document. */
export const documentRoute = ({ uid, documentId }: { readonly uid: string; readonly documentId: string }): string =>
  `/rest-cache/documents/${uid}/${encodeURIComponent(documentId)}`;

/** An entry's URL with Strapi's host and path, because the panel itself may be served from another one. */
export const addressOf = (url: string, backendUrl: string): string => new URL(backendUrl.replace(/\/$/, '') + url).href;

/** A link to a document in the content manager. */
export const documentLink = (uid: string, documentId: string, isSingleType: boolean): string =>
  isSingleType
    ? `/content-manager/single-types/${uid}`
    : `/content-manager/collection-types/${uid}/${encodeURIComponent(documentId)}`;
