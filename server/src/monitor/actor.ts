import type { Core } from '@strapi/strapi';
import { z } from 'zod';

/** Who made a change, as far as the plugin knows. */
export const actor = z.object({
  /**
   * `application`: code outside of any request. `visitor`: a request without credentials, or with those of an
   * authentication strategy that is not Strapi's own.
   */
  kind: z.enum(['admin', 'api-token', 'user', 'visitor', 'application', 'other-instance']),
  id: z.union([z.string(), z.number()]).optional(),
  name: z.string().optional(),
});

export type Actor = Readonly<z.infer<typeof actor>>;

interface RequestState {
  readonly auth?: { readonly strategy?: { readonly name?: string }; readonly credentials?: unknown };
}

const APPLICATION: Actor = { kind: 'application' };
const VISITOR: Actor = { kind: 'visitor' };

const KINDS: Readonly<Record<string, Actor['kind']>> = {
  admin: 'admin',
  'admin-token': 'admin',
  'content-api-token': 'api-token',
  'api-token': 'api-token',
  'users-permissions': 'user',
};

/** On whose behalf the current code runs. */
export const currentActor = (strapi: Core.Strapi): Actor => {
  const state = strapi.requestContext.get()?.state as RequestState | undefined;
  if (state === undefined) return APPLICATION;
  const kind = KINDS[state.auth?.strategy?.name ?? ''];
  const credentials = state.auth?.credentials;
  if (kind === undefined || typeof credentials !== 'object' || credentials === null) return VISITOR;
  const { id } = credentials as { id?: string | number };
  return { kind, id, name: nameOf(kind, credentials as Readonly<Record<string, unknown>>) };
};

/** Only the name is taken from the credentials, which hold far more. */
const nameOf = (kind: Actor['kind'], credentials: Readonly<Record<string, unknown>>): string | undefined => {
  const parts =
    kind === 'admin' && credentials.firstname !== undefined
      ? [credentials.firstname, credentials.lastname]
      : [kind === 'user' ? credentials.username : credentials.name];
  const name = parts.filter((part) => typeof part === 'string' && part !== '').join(' ');
  return name === '' ? undefined : name;
};
