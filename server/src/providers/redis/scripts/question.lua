-- Keys: the state, the question. Arguments: how long the question is kept (milliseconds), then each tag and the lists
-- it is in. The first write is one that changes nothing, so that the few bytes that follow are exempt from maxmemory.

redis.call('HDEL', KEYS[1], '')
for first = 2, #ARGV, 1000 do redis.call('HSET', KEYS[2], unpack(ARGV, first, math.min(first + 999, #ARGV))) end
redis.call('PEXPIRE', KEYS[2], ARGV[1])
return {}
