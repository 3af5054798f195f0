-- Keys: the state, the question. Arguments: how long the question is kept (milliseconds), the name of this part of it,
-- then each tag and the lists it is in. The first write is one that changes nothing, so that the few bytes that follow
-- are exempt from maxmemory. Follows DIGEST.

redis.call('HDEL', KEYS[1], '')
local listsOf = {}
for i = 3, #ARGV, 2 do listsOf[digestOf(ARGV[i])] = ARGV[i + 1] end
redis.call('HSET', KEYS[2], ARGV[2], cmsgpack.pack(listsOf))
redis.call('PEXPIRE', KEYS[2], ARGV[1])
return {}
