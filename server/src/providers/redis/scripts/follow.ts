import { FAR_AHEAD, MARKS } from './marks';
import { POSITION } from './position';
import { STAMP } from './stamp';

/** Stamps fetched in one go; a process further behind starts over with an empty first level. */
const MAX_CHANGES = 1000;

/**
 * Keys: state, stamps, announced. Arguments: what is remembered (3), the number up to which everything is known.
 * Replies: epoch, generation, sequence, announcements open, 1 if the list is complete, and for each tag stamped since:
 * tag, number.
 */
const CHANGES = `
local since = tonumber(ARGV[4])
local open = redis.call('ZCARD', announced)
if epoch ~= ARGV[1] or floor > since then return { epoch, generation, sequence, open, 0 } end
if since >= sequence then return { epoch, generation, sequence, open, 1 } end
local changed = redis.call('ZRANGEBYSCORE', stamps, '(' .. ARGV[4], '(inf', 'WITHSCORES', 'LIMIT', 0, ${MAX_CHANGES + 1})
if #changed > 2 * ${MAX_CHANGES} then return { epoch, generation, sequence, open, 0 } end
return { epoch, generation, sequence, open, 1, unpack(changed) }
`;

/** What happened since. The one question a first level asks. */
export const FOLLOW = `${POSITION}
proveWritable()
local problem = lost()
if problem then return problem end
${CHANGES}`;

/**
 * FOLLOW, and a sign of life. Keys: state, stamps, announced, channel, members. Further arguments: this process's name,
 * how long a process may be silent (milliseconds). One that fell silent without taking its leave may have committed
 * what it could not tell: everything older than now is dropped, once.
 */
export const BEAT = `${POSITION}${STAMP}
local FAR_AHEAD = ${FAR_AHEAD}
proveWritable()
local problem = lost()
if problem then return problem end
local members, now = KEYS[5], milliseconds()
redis.call('ZADD', members, now, ARGV[5])
redis.call('ZREMRANGEBYSCORE', announced, '-inf', now)
redis.call('ZREMRANGEBYSCORE', announced, now + FAR_AHEAD, '+inf')
local silent = redis.call('ZREMRANGEBYSCORE', members, '-inf', now - tonumber(ARGV[6]))
  + redis.call('ZREMRANGEBYSCORE', members, now + FAR_AHEAD, '+inf')
if silent > 0 then
  stamp({ EVERYTHING })
  callOut(KEYS[4])
end
-- Half a week early, so that this is not done with every beat.
if redis.call('PTTL', state) < KEPT_FOR / 2 then writeState() end
redis.call('PEXPIRE', members, KEPT_FOR)
${CHANGES}`;

/**
 * Keys: state, stamps, announced, channel. Arguments: what is remembered (3), the guard's number, its tags. Replies:
 * epoch, generation, sequence, 1 if anything was stamped since or is announced.
 */
export const CHECK = `${POSITION}${STAMP}${MARKS}
proveWritable()
local problem = lost()
if problem then return problem end
local tags = argumentsFrom(5)
local stamped = epoch ~= ARGV[1] or stampedSince(tonumber(ARGV[4]), tags)
if not stamped then
  local before = sequence
  tags[#tags + 1] = EVERYTHING
  stamped = announcedAny(tags)
  if sequence ~= before then callOut(KEYS[4]) end
end
return { epoch, generation, sequence, stamped and 1 or 0 }
`;
