-- Own key: the entry. Arguments: its name in the index, the tag that first levels know it by. Replies 1 if there was one.

local there = redis.call('UNLINK', KEYS[9])
account(ARGV[4], nil)
stamp({ ARGV[5] })
callOut()
return { epoch, generation, sequence, there }
