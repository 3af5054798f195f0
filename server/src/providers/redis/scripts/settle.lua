-- Argument: a write, or what everything was owed as.

mendEdge()
if redis.call('HGET', state, 'everything') == ARGV[4] then redis.call('HDEL', state, 'everything') end
if redis.call('HDEL', owed, ARGV[4]) == 1 then writeEdge() end
return { epoch, generation, sequence }
