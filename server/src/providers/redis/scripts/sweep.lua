-- Keys: the trash, the index, the prefix of entries (they share its slot). Argument: how many to delete. Deletes a
-- slice of the cleared entries, except those that have been stored anew. Replies how many are left in the trash.

if redis.call('TYPE', KEYS[1]).ok ~= 'zset' then return 0 end
local popped = redis.call('ZPOPMIN', KEYS[1], tonumber(ARGV[1]))
for i = 1, #popped, 2 do
  local name = popped[i]
  if name ~= '' and not redis.call('ZSCORE', KEYS[2], name) then redis.call('UNLINK', KEYS[3] .. name) end
end
return redis.call('ZCARD', KEYS[1])
