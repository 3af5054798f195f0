-- Own key: the entry. Arguments: its name in the index, the tag that first levels know it by. Replies 1 if there was one.

local there = redis.call('UNLINK', KEYS[8])
account(ARGV[4], nil)
stamp({ ARGV[5] })
return { epoch, generation, sequence, there }
