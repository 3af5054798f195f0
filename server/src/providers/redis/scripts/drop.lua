-- Own key: the entry. Arguments: its name in the index, the tag by which first levels know it. Deletes the entry.
-- Replies 1 if there was one.

local there = redis.call('UNLINK', KEYS[8])
account(ARGV[4], nil)
stamp({ ARGV[5] })
return { epoch, generation, sequence, there }
