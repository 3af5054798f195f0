/** What Strapi's authentication leaves in `ctx.state.auth`; absent on routes with `auth: false`. */
export interface AuthState {
  readonly strategy?: { readonly name?: string };
  readonly credentials?: unknown;
}

/** Who is asking, in the words of the cache key; never holds a credential. */
export type Identity =
  | { readonly kind: 'public'; readonly name: 'up:public' }
  | { readonly kind: 'user' | 'token' | 'admin' | 'strategy'; readonly name: string };

const PUBLIC: Identity = { kind: 'public', name: 'up:public' };

/** Names under which Strapi 5 has run its content-API token strategy. */
const TOKEN_STRATEGIES: ReadonlySet<string> = new Set(['content-api-token', 'api-token']);
const ADMIN_STRATEGIES: ReadonlySet<string> = new Set(['admin', 'admin-token']);

/**
 * The caller's identity from Strapi's own authentication state, never from the credential it was derived from. A
 * strategy the plugin does not know gives all its callers one identity.
 */
export const callerIdentity = (auth: AuthState | undefined): Identity => {
  const strategy = auth?.strategy?.name;
  if (strategy === undefined) return PUBLIC;
  const credentials = isRecord(auth?.credentials) ? auth.credentials : undefined;
  const id = credentials?.id;
  if (strategy === 'users-permissions') {
    if (credentials === undefined) return PUBLIC;
    return isId(id) ? { kind: 'user', name: `up:${id}` } : unknownStrategy(strategy);
  }
  if (!isId(id)) return unknownStrategy(strategy);
  if (TOKEN_STRATEGIES.has(strategy)) {
    const type = typeof credentials?.type === 'string' ? credentials.type : 'unknown';
    return { kind: 'token', name: `token:${id}:${type}` };
  }
  if (ADMIN_STRATEGIES.has(strategy)) return { kind: 'admin', name: `admin:${id}` };
  return unknownStrategy(strategy);
};

const unknownStrategy = (name: string): Identity => ({ kind: 'strategy', name: `strategy:${name}` });

const isId = (value: unknown): value is string | number =>
  typeof value === 'number' || (typeof value === 'string' && value !== '');

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
