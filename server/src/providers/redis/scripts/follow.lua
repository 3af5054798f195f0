-- The one question a first level asks: what was stamped since? Argument: the number up to which everything is known.
-- Replies the number of open announcements, 1 if the list is complete, and for each tag stamped since: tag, number. A
-- process that has missed more than MAX_CHANGES starts over with an empty first level.

local MAX_CHANGES = 1000
local since = tonumber(ARGV[4])
local open = redis.call('ZCARD', announced)
if epoch ~= ARGV[1] or floor > since then return { epoch, generation, sequence, open, 0 } end
if since >= sequence then return { epoch, generation, sequence, open, 1 } end
local changed = redis.call('ZRANGEBYSCORE', stamps, '(' .. ARGV[4], '(inf', 'WITHSCORES', 'LIMIT', 0, MAX_CHANGES + 1)
if #changed > 2 * MAX_CHANGES then return { epoch, generation, sequence, open, 0 } end
return { epoch, generation, sequence, open, 1, unpack(changed) }
