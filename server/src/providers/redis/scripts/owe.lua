-- Arguments: the id of the write, its documents (as text), its keys. Notes which of the keys were issued, in place
-- of what was noted for the same write. Replies the id under which everything is owed (empty if it is not), and these
-- keys.

mendEdge()
local write, documents = ARGV[4], ARGV[5]
local all = redis.call('SISMEMBER', handed, ALL) == 1
local found = {}
for i = 6, #ARGV do
  if all or redis.call('SISMEMBER', handed, ARGV[i]) == 1 then found[#found + 1] = ARGV[i] end
end
redis.call('HDEL', owed, write)
if #found > 0 then
  if redis.call('HLEN', owed) >= MAX_OWED then
    redis.call('UNLINK', owed)
    oweEverything()
  else redis.call('HSET', owed, write, milliseconds() .. ' ' .. table.concat(found, ' ') .. '\n' .. documents)
  end
end
writeEdge()
local reply = { epoch, generation, sequence, everythingOwed(0) }
for _, key in ipairs(found) do reply[#reply + 1] = key end
return reply
