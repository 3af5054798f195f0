-- Arguments: how old what is asked for has to be (milliseconds), the release that starts (empty for none). What another
-- release has handed out may look otherwise than this one's. Replies what everything is owed as (empty where it is not), and
-- for each write: its name, what is owed.

mendEdge()
-- Asked by whoever is running: what is known must not run out meanwhile.
writeEdge()
if ARGV[5] ~= '' and redis.call('HGET', state, 'release') ~= ARGV[5] then
  redis.call('HSET', state, 'release', ARGV[5])
  oweEverything()
end
local reply = { epoch, generation, sequence, redis.call('HGET', state, 'everything') or '' }
local now, found = milliseconds(), redis.call('HGETALL', owed)
for i = 1, #found, 2 do
  local at = tonumber(string.match(found[i + 1], '^%d+')) or 0
  -- A clock that was put back makes nothing wait.
  if at > now or at <= now - tonumber(ARGV[4]) then
    reply[#reply + 1], reply[#reply + 2] = found[i], found[i + 1]
  end
end
return reply
