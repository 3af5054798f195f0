import { MARKS } from './marks';
import { POSITION } from './position';
import { STAMP } from './stamp';

/**
 * Keys: state, stamps, announced, channel. Arguments: what is remembered (3), the announcement's name, how long it holds
 * without being renewed (milliseconds), tags. Stamps the tags, so that no entry carrying them is alive, and marks them,
 * so that none is stored until the announcement is closed. Replies: epoch, generation, sequence.
 */
export const ANNOUNCE = `${POSITION}${STAMP}${MARKS}
proveWritable()
local problem = lost()
if problem then return problem end

local id, holds, now = ARGV[4], tonumber(ARGV[5]), milliseconds()
local tags = argumentsFrom(6)
stamp(tags)
redis.call('ZREMRANGEBYSCORE', announced, '-inf', now)
redis.call('ZADD', announced, now + holds, id)
redis.call('PEXPIRE', announced, KEPT_FOR)
local open = {}
for _, mark in ipairs(marksOf(tags)) do open[mark.tag] = mark.ids end
for _, tag in ipairs(tags) do
  redis.call('HSET', state, 'p:' .. tag, open[tag] and open[tag] .. ' ' .. id or id)
end
callOut(KEYS[4])
return { epoch, generation, sequence }
`;

/**
 * Keys: state, stamps, announced, channel. Arguments: what is remembered (3), the announcement to close (empty for
 * none), how many tags it announced, those tags, the tags to stamp. Replies: epoch, generation, sequence.
 */
export const INVALIDATE = `${POSITION}${STAMP}${MARKS}
proveWritable()
local problem = lost()
if problem then return problem end

local id, count = ARGV[4], tonumber(ARGV[5])
stamp(argumentsFrom(6 + count))
if id ~= '' then
  local marked = {}
  for i = 1, count do marked[i] = ARGV[5 + i] end
  unmark(marked, id)
end
callOut(KEYS[4])
return { epoch, generation, sequence }
`;

/** Keys as ANNOUNCE. Arguments: what is remembered (3), how long announcements hold, their names. */
export const RENEW = `${POSITION}
proveWritable()
local problem = lost()
if problem then return problem end
local deadline = milliseconds() + tonumber(ARGV[4])
for i = 5, #ARGV do redis.call('ZADD', announced, deadline, ARGV[i]) end
return { epoch, generation, sequence }
`;
