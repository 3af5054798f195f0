import type { Context } from 'koa';
import type { ResolvedRoute } from '../config/resolved-config';
import type { Identity } from './caller-identity';
import { BODY_SHAPING_HEADERS } from './request-key';
import { ALL_HEADERS, REMOTE_ADDRESS, type ReadName } from './request-reads';

/** Of a request without a body, which alone is answered from the store, these say nothing. */
const OF_BODIES: readonly string[] = ['content-length', 'transfer-encoding'];

const CREDENTIALS: readonly string[] = ['authorization', 'cookie'];

/**
 * What was read of a request that its key does not hold: another caller's answer might be another. Of listed names (`*`)
 * only that they were listed.
 */
export const unkeyedReads = (
  ctx: Context,
  reads: ReadonlySet<ReadName>,
  { keys, hitpass }: ResolvedRoute,
  identity: Identity,
): readonly ReadName[] => {
  const { useHeaders, ignoreHeaders, useAuth } = keys;
  if (reads.size === 0 || ignoreHeaders.includes(ALL_HEADERS)) return [];
  if (reads.has(ALL_HEADERS)) return [ALL_HEADERS];
  const isOpen = (ctx.state as { auth?: unknown }).auth === undefined;
  // Requests that carry these are then never answered from the store: see hitpass.
  const comesWithoutCredentials = hitpass === true || (useAuth && isOpen && identity.kind === 'public');
  const isKeyed = (name: ReadName): boolean =>
    useHeaders.includes(name) ||
    ignoreHeaders.includes(name) ||
    BODY_SHAPING_HEADERS.includes(name) ||
    OF_BODIES.includes(name) ||
    (comesWithoutCredentials && CREDENTIALS.includes(name)) ||
    // The identity was read from it.
    (name === 'authorization' && useAuth && (identity.kind === 'user' || identity.kind === 'token'));
  return [...reads].filter((name) => !isKeyed(name));
};

/** Names shown; a handler may read any number. */
const SHOWN = 5;

/** Who has read it; `undefined`: the handler. */
export type WhereRead = (name: ReadName) => string | undefined;

/** For `Cache-Status` and whoever else asks why nothing was stored. */
export const describeReads = (names: readonly ReadName[], where: WhereRead): string =>
  `reads ${names
    .slice(0, SHOWN)
    .map((name) => `${described(name)}${where(name) === undefined ? '' : ` (in ${where(name) ?? ''})`}`)
    .join(', ')}${names.length > SHOWN ? ' and more' : ''} of the request, ` +
  'not in the key: see keys.useHeaders and keys.ignoreHeaders';

const described = (name: ReadName): string =>
  name === ALL_HEADERS ? 'all headers (*)' : name === REMOTE_ADDRESS ? "the caller's address (remote-address)" : name;
