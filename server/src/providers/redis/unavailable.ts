import { DeadlineExceeded } from '../../cache/deadline';
import { said, type Sentence } from '../../cache/sentence';

/** Redis cannot be used right now. The message never holds what a user configured. */
export class StoreUnavailable extends Error {
  constructor(readonly reason: Sentence) {
    super(`The cache store cannot be used: ${reason.text}`);
    this.name = 'StoreUnavailable';
  }
}

/** Codes of errors of Node's sockets, and of TLS. */
const UNREACHABLE = /^(ECONNREFUSED|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ENOENT|EACCES)$/;
const NOT_TRUSTED = /CERT|LEAF_SIGNATURE/;

export const CONNECTION_LOST = said('redis-lost')`the connection to Redis was lost`;

/** A script may not run a command, or touch a key. */
const NOT_PERMITTED = /^NOPERM|The user executing the script|ACL failure in script/;

/** Redis sent a reply that none of our scripts gives. */
export class BadReply extends Error {
  constructor() {
    super('WRONGTYPE of a reply');
    this.name = 'BadReply';
  }
}

/** Errors of scripts that find a key of another type, or nonsense in a key of the right type. */
const DAMAGED = /WRONGTYPE|attempt to |bad argument|is not an? (integer|valid float|number)/;

const LOST = /^LOST (?:its|recent) (state|stamps|server|data)$/;

/** Error replies to SELECT: ioredis reports them and goes on in database 0. */
const NO_DATABASE = /DB index is out of range|SELECT is not allowed in cluster mode/;

/** Whether a new connection is in another database than the one it was configured for. */
export const isElsewhere = (error: unknown): boolean => error instanceof Error && NO_DATABASE.test(error.message);

/** Whether the scripts found bookkeeping lost or damaged: Redis itself is well and can be joined again at once. */
export const isLoss = (error: unknown): boolean =>
  error instanceof Error && (LOST.test(error.message) || DAMAGED.test(error.message));

const unreachable = (detail: string): Sentence =>
  said('redis-unreachable')`Redis cannot be reached at the address in provider.options (${detail})`;

const misplaced = (wanted: string, given: string): Sentence =>
  said('redis-misplaced')`this Redis needs provider.options.${wanted} instead of ${given}`;

/**
 * One sentence on what happened. Built from known words only: an error's own message may hold a URL, and its properties
 * the arguments of AUTH.
 */
export const reasonOf = (error: unknown): Sentence => {
  if (error instanceof StoreUnavailable) return error.reason;
  if (error instanceof DeadlineExceeded) return error.sentence;
  if (!(error instanceof Error)) return CONNECTION_LOST;
  const { message, name } = error;
  const code = 'code' in error ? String(error.code) : '';
  if (UNREACHABLE.test(code)) return unreachable(code);
  if (NOT_TRUSTED.test(code)) return said('redis-certificate')`the certificate of Redis is not accepted (${code})`;
  const lost = LOST.exec(message)?.[1];
  if (lost !== undefined)
    return said('redis-loss')`Redis lost its ${lost} (restart, failover, flush or eviction); starting over`;
  if (DAMAGED.test(message)) return said('redis-damaged')`the bookkeeping in Redis is damaged; starting over`;
  if (/unknown redis command/i.test(message)) return said('redis-old')`this Redis is too old: 6.2 or later is needed`;
  if (isElsewhere(error))
    return said('redis-database')`this Redis does not have the database number in provider.options`;
  if (/cluster support disabled/i.test(message)) return misplaced('connection', 'cluster');
  if (NOT_PERMITTED.test(message))
    return said('redis-permission')`the Redis user lacks a permission
      (node_modules/strapi-plugin-response-cache/docs/redis.md lists the commands and keys it needs)`;
  const reply = /^-?([A-Z]{2,})\b/.exec(message)?.[1] ?? 'ERR';
  if (reply === 'MOVED') return misplaced('cluster', 'connection');
  if (reply === 'NOAUTH' || reply === 'WRONGPASS')
    return said('redis-login')`Redis does not accept the user name or password in provider.options (${reply})`;
  if (reply === 'READONLY') return said('redis-replica')`this Redis is a read-only replica`;
  if (name === 'ReplyError') return said('redis-refuses')`Redis refuses commands (${reply})`;
  if (/All sentinels are unreachable/i.test(message)) return unreachable('Sentinel');
  return name === 'ClusterAllFailedError' ? unreachable('Cluster') : CONNECTION_LOST;
};
