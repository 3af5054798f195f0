-- Arguments: the least age of the debts to reply (milliseconds), this process's release, 1 if it starts. The responses of
-- two releases may differ, and the edge gets those of both while both run: everything is owed when one starts, and when
-- the last process of the other has gone. Replies the id under which everything is owed (empty if it is not, or if another
-- process was told so within that age), and for each write: its id, its debt as OWE has noted it.

mendEdge()
-- Every process that uses the ledger asks this again and again, so that the ledger does not expire meanwhile.
writeEdge()
local release, areMixed = ARGV[5], false
for _, member in ipairs(redis.call('ZRANGE', members, 0, -1)) do
  areMixed = areMixed or string.match(member, '^[^:]*') ~= release
end
if areMixed then redis.call('HSET', state, 'mixed', 1)
elseif redis.call('HDEL', state, 'mixed') == 1 then oweEverything() end
if ARGV[6] == '1' and redis.call('HGET', state, 'release') ~= release then
  redis.call('HSET', state, 'release', release)
  if redis.call('HEXISTS', state, 'everything') == 0 then oweEverything() end
end
local reply = { epoch, generation, sequence, everythingOwed(tonumber(ARGV[4])) }
local now, found = milliseconds(), redis.call('HGETALL', owed)
for i = 1, #found, 2 do
  local at = tonumber(string.match(found[i + 1], '^%d+')) or 0
  -- A time in the future counts as overdue: the clock was put back.
  if at > now or at <= now - tonumber(ARGV[4]) then
    reply[#reply + 1], reply[#reply + 2] = found[i], found[i + 1]
  end
end
return reply
