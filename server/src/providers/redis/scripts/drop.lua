-- Keys: state, stamps, announced, channel, entry, index. Arguments: what is remembered (3), the name in the index, the
-- tag that first levels know the entry by. Replies: epoch, generation, sequence, 1 if there was an entry.

local there = redis.call('UNLINK', KEYS[5])
account(ARGV[4], nil)
stamp({ ARGV[5] })
callOut(KEYS[4])
return { epoch, generation, sequence, there }
