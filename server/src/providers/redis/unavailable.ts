import { DeadlineExceeded } from '../../cache/deadline';

/** Redis cannot be used right now. The message never holds what a user configured. */
export class StoreUnavailable extends Error {
  constructor(readonly reason: string) {
    super(`The cache store cannot be used: ${reason}`);
    this.name = 'StoreUnavailable';
  }
}

/** Errors of sockets that the user can do something about; others are named by their code. */
const BY_CODE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection to Redis was refused',
  ETIMEDOUT: 'Redis cannot be reached (timeout)',
  ENOTFOUND: 'the host name of Redis cannot be resolved (provider.options.connection)',
  EAI_AGAIN: 'the host name of Redis cannot be resolved (provider.options.connection)',
};

/** Likewise, by the first word of an error reply of Redis. */
const BY_REPLY: Readonly<Record<string, string>> = {
  NOAUTH: 'Redis asks for a password and none is configured (provider.options.connection)',
  WRONGPASS: 'Redis does not accept the configured user name or password (provider.options.connection)',
  NOPERM:
    'the Redis user lacks a permission (node_modules/strapi-plugin-response-cache/docs/redis.md lists the commands and keys it needs)',
  READONLY: 'this Redis is a read-only replica',
  OOM: 'Redis is out of memory',
};

/** Redis sent a reply that none of our scripts gives. */
export class BadReply extends Error {
  constructor() {
    super('WRONGTYPE of a reply');
    this.name = 'BadReply';
  }
}

/** Errors of scripts that find a key of another type, or nonsense in a key of the right type. */
const DAMAGED = /WRONGTYPE|attempt to |bad argument|is not an? (integer|valid float|number)/;

const LOST = /^LOST (its state|its stamps|its server|recent data)$/;

/** Error replies to SELECT: ioredis reports them and goes on in database 0. */
const NO_DATABASE = /DB index is out of range|SELECT is not allowed in cluster mode/;

/** Whether a new connection is in another database than the one it was configured for. */
export const isElsewhere = (error: unknown): boolean => error instanceof Error && NO_DATABASE.test(error.message);

/** Whether the scripts found bookkeeping lost or damaged: Redis itself is well and can be joined again at once. */
export const isLoss = (error: unknown): boolean =>
  error instanceof Error && (LOST.test(error.message) || DAMAGED.test(error.message));

/**
 * One sentence on what happened. Built from known words only: an error's own message may hold a URL, and its properties
 * the arguments of AUTH.
 */
export const reasonOf = (error: unknown): string => {
  if (error instanceof StoreUnavailable) return error.reason;
  if (error instanceof DeadlineExceeded) return 'Redis does not answer in time';
  if (!(error instanceof Error)) return 'the connection to Redis failed';
  const lost = LOST.exec(error.message)?.[1];
  if (lost !== undefined) return `Redis lost ${lost} (restart, failover, flush or eviction); starting over`;
  if (DAMAGED.test(error.message)) return 'the bookkeeping in Redis is damaged; starting over';
  if (/unknown redis command/i.test(error.message)) return 'this Redis is too old: 6.2 or later is needed';
  if (isElsewhere(error))
    return 'this Redis does not have the configured database number (provider.options.connection)';
  if (/cluster support disabled/i.test(error.message))
    return 'this Redis is not a cluster (write provider.options.connection instead of cluster)';
  const reply = /^-?([A-Z]{2,})\b/.exec(error.message)?.[1];
  if (reply !== undefined && BY_REPLY[reply] !== undefined) return BY_REPLY[reply];
  if (/All sentinels are unreachable/i.test(error.message)) return 'no Sentinel can be reached or knows the master';
  if (error.name === 'ClusterAllFailedError') return 'no node of the Redis cluster can be reached';
  if (error.name === 'ReplyError') return `Redis answered with an error${reply === undefined ? '' : ` (${reply})`}`;
  const code = 'code' in error ? String(error.code) : '';
  return BY_CODE[code] ?? `the connection to Redis was lost${/^[A-Z_]+$/.test(code) ? ` (${code})` : ''}`;
};
