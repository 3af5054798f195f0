-- Key: the sums of an interval. Arguments: how long they are kept (milliseconds), then names and increments. A sum that
-- is no number begins anew, and so does the key if it holds something else.

-- This write changes nothing, but fails where Redis refuses writes, whatever the key holds.
redis.call('PEXPIRE', KEYS[1], ARGV[1])
if redis.call('TYPE', KEYS[1]).ok ~= 'hash' then redis.call('UNLINK', KEYS[1]) end
for i = 2, #ARGV, 2 do
  local sum = redis.pcall('HINCRBY', KEYS[1], ARGV[i], ARGV[i + 1])
  if type(sum) == 'table' then redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1
