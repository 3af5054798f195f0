import { DeadlineExceeded } from '../../cache/deadline';

/** Redis cannot be used right now. The message never holds what a user configured. */
export class StoreUnavailable extends Error {
  constructor(readonly reason: string) {
    super(`The cache store cannot be used: ${reason}`);
    this.name = 'StoreUnavailable';
  }
}

const BY_CODE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection to Redis was refused',
  ECONNRESET: 'the connection to Redis was reset',
  EPIPE: 'the connection to Redis was lost',
  ETIMEDOUT: 'Redis cannot be reached (timeout)',
  EHOSTUNREACH: 'the host of Redis cannot be reached',
  ENETUNREACH: 'the network of Redis cannot be reached',
  ENOTFOUND: 'the host name of Redis cannot be resolved (provider.options.connection)',
  EAI_AGAIN: 'the host name of Redis cannot be resolved (provider.options.connection)',
  ENOENT: 'the socket of Redis does not exist (provider.options.connection)',
  EACCES: 'the socket of Redis may not be opened (provider.options.connection)',
  CERT_HAS_EXPIRED: 'the certificate of Redis has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate of Redis is self-signed and not trusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate of Redis is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate of Redis cannot be verified',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate of Redis is for another host name',
};

/** By the first word of an error reply of Redis. */
const BY_REPLY: Readonly<Record<string, string>> & { readonly NOPERM: string } = {
  NOAUTH: 'Redis asks for a password and none is configured (provider.options.connection)',
  WRONGPASS: 'Redis does not accept the configured user name or password (provider.options.connection)',
  NOPERM:
    'the Redis user lacks a permission (node_modules/strapi-plugin-response-cache/docs/redis.md lists the commands and keys it needs)',
  READONLY: 'this Redis is a read-only replica',
  OOM: 'Redis is out of memory',
  MISCONF: 'Redis cannot write to its disk and refuses changes',
  NOREPLICAS: 'Redis has too few replicas and refuses changes',
  LOADING: 'Redis is still loading its data',
  MASTERDOWN: 'this Redis is a replica without its master',
  CLUSTERDOWN: 'the Redis cluster is down',
  TRYAGAIN: 'the Redis cluster is moving the keys',
  BUSY: 'Redis is busy with a script',
  MOVED: 'this Redis is a cluster (write provider.options.cluster instead of connection)',
};

/** A script may not run a command, or touch a key. */
const NOT_PERMITTED = /The user executing the script|ACL failure in script/;

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
  const code = 'code' in error && typeof error.code === 'string' ? BY_CODE[error.code] : undefined;
  if (code !== undefined) return code;
  const lost = LOST.exec(error.message)?.[1];
  if (lost !== undefined) return `Redis lost ${lost} (restart, failover, flush or eviction); starting over`;
  if (DAMAGED.test(error.message)) return 'the bookkeeping in Redis is damaged; starting over';
  if (/unknown redis command/i.test(error.message)) return 'this Redis is too old: 6.2 or later is needed';
  if (isElsewhere(error))
    return 'this Redis does not have the configured database number (provider.options.connection)';
  if (/cluster support disabled/i.test(error.message))
    return 'this Redis is not a cluster (write provider.options.connection instead of cluster)';
  if (NOT_PERMITTED.test(error.message)) return BY_REPLY.NOPERM;
  const reply = /^-?([A-Z]{2,})\b/.exec(error.message)?.[1];
  if (reply !== undefined && BY_REPLY[reply] !== undefined) return BY_REPLY[reply];
  if (/All sentinels are unreachable/i.test(error.message)) return 'no Sentinel can be reached or knows the master';
  if (error.name === 'ClusterAllFailedError') return 'no node of the Redis cluster can be reached';
  if (error.name === 'ReplyError') return `Redis answered with an error${reply === undefined ? '' : ` (${reply})`}`;
  return 'the connection to Redis was lost';
};
