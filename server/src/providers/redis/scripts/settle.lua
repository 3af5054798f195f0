-- Argument: the id of a write, or the id under which everything was owed. Deletes this debt.

mendEdge()
if redis.call('HGET', state, 'everything') == ARGV[4] then redis.call('HDEL', state, 'everything') end
if redis.call('HDEL', owed, ARGV[4]) == 1 then writeEdge() end
return { epoch, generation, sequence }
