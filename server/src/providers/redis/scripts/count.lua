-- Key: the sums of an interval. Arguments: how long they are kept (milliseconds), then names and increments. If the key
-- holds something else, it is deleted and begun anew.

local function add()
  for i = 2, #ARGV, 2 do
    local sum = redis.pcall('HINCRBY', KEYS[1], ARGV[i], ARGV[i + 1])
    if type(sum) == 'table' then return false end
  end
  return true
end
-- This write changes nothing, but fails where Redis refuses writes, whatever the key holds.
redis.call('PEXPIRE', KEYS[1], ARGV[1])
if not add() then
  redis.call('UNLINK', KEYS[1])
  add()
end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1
