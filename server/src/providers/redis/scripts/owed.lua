-- Arguments: the least age of the debts to reply (milliseconds), the release that starts (empty for none). If another
-- release started last, everything is owed: the responses of two releases may differ. Replies the id under which
-- everything is owed (empty if it is not, or if another process was told so within that age), and for each write: its id,
-- its debt as OWE has noted it.

mendEdge()
-- Every process that uses the ledger asks this again and again, so that the ledger does not expire meanwhile.
writeEdge()
if ARGV[5] ~= '' and redis.call('HGET', state, 'release') ~= ARGV[5] then
  redis.call('HSET', state, 'release', ARGV[5])
  if redis.call('HEXISTS', state, 'everything') == 0 then oweEverything() end
end
local reply = { epoch, generation, sequence, everythingOverdue(tonumber(ARGV[4])) }
local now, found = milliseconds(), redis.call('HGETALL', owed)
for i = 1, #found, 2 do
  local at = tonumber(string.match(found[i + 1], '^%d+')) or 0
  -- A time in the future counts as overdue: the clock was put back.
  if at > now or at <= now - tonumber(ARGV[4]) then
    reply[#reply + 1], reply[#reply + 2] = found[i], found[i + 1]
  end
end
return reply
