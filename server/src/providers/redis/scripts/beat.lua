-- A sign of life, followed by FOLLOW. Arguments after FOLLOW's: this process's name, how long a process may be silent,
-- how long this process's announcements hold from now on (milliseconds, both), the announcements' names. A process that
-- fell silent without signing off may have committed writes that it could not report: everything is stamped once.

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
-- Renewed only in the second half of its time to live, so that this is not done with every sign of life.
if redis.call('PTTL', state) < KEPT_FOR / 2 then writeState() end
redis.call('PEXPIRE', members, KEPT_FOR)
