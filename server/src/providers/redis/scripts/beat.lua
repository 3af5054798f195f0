-- A sign of life, followed by FOLLOW. Arguments after FOLLOW's: this process's name, how long a process may be silent,
-- how long this process's announcements hold from now on (milliseconds, both), the announcements' names. A process that
-- fell silent without signing off, or left an announcement open, may have committed writes that it could not report:
-- everything is stamped once. Only here are such announcements dropped: first levels decide no guard while one is open.

local now = milliseconds()
redis.call('ZADD', members, now, ARGV[5])
local silent = 0
for key, before in pairs({ [announced] = now, [members] = now - tonumber(ARGV[6]) }) do
  silent = silent + redis.call('ZREMRANGEBYSCORE', key, '-inf', before)
    + redis.call('ZREMRANGEBYSCORE', key, now + FAR_AHEAD, '+inf')
end
for i = 8, #ARGV do redis.call('ZADD', announced, 'XX', now + tonumber(ARGV[7]), ARGV[i]) end
if silent > 0 then stamp({ EVERYTHING }) end
-- Renewed only in the second half of its time to live, so that this is not done with every sign of life.
if redis.call('PTTL', state) < KEPT_FOR / 2 then writeState() end
redis.call('PEXPIRE', members, KEPT_FOR)
