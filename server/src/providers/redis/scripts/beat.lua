-- FOLLOW, and a sign of life. Further arguments: this process's name, how long a process may be silent, how long its
-- announcements hold from now on (milliseconds, both), their names. A process that fell silent without taking its leave may
-- have committed what it could not tell: everything older than now is dropped, once.

local now = milliseconds()
redis.call('ZADD', members, now, ARGV[5])
redis.call('ZREMRANGEBYSCORE', announced, '-inf', now)
redis.call('ZREMRANGEBYSCORE', announced, now + FAR_AHEAD, '+inf')
for i = 8, #ARGV do redis.call('ZADD', announced, 'XX', now + tonumber(ARGV[7]), ARGV[i]) end
local silent = redis.call('ZREMRANGEBYSCORE', members, '-inf', now - tonumber(ARGV[6]))
  + redis.call('ZREMRANGEBYSCORE', members, now + FAR_AHEAD, '+inf')
if silent > 0 then
  stamp({ EVERYTHING })
end
-- Half a week early, so that this is not done with every beat.
if redis.call('PTTL', state) < KEPT_FOR / 2 then writeState() end
redis.call('PEXPIRE', members, KEPT_FOR)
