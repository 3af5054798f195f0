-- Key: a list. Arguments: how many texts it keeps, for how long (milliseconds), then the texts to put in front. If the
-- key holds something else, it is deleted and begun anew.

-- This write changes nothing, but fails where Redis refuses writes, whatever the key holds.
redis.call('PEXPIRE', KEYS[1], ARGV[2])
if redis.call('TYPE', KEYS[1]).ok ~= 'list' then redis.call('UNLINK', KEYS[1]) end
redis.call('LPUSH', KEYS[1], unpack(ARGV, 3))
redis.call('LTRIM', KEYS[1], 0, ARGV[1] - 1)
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
