-- Each process runs this first on every new connection and after every fault. It is the only script that begins an
-- epoch. Arguments: a name for a new epoch, this process's name, the state of the database that it found at boot, 1 if
-- it joins for the first time. Replies 1 if a new epoch was begun, and 1 if the server started recently: other
-- processes may then still be reconnecting with undelivered invalidations.
--
-- A new epoch's generation is above every generation that is stored in Redis or remembered by this process, so that
-- every process knows which of two epochs is the later one. If the server does not tell its name (INFO not allowed),
-- every join begins an epoch: it cannot be known whether the data is still the same. A key of the wrong type is
-- deleted.
--
-- A process that joins for the first time stamps everything if the database was migrated since the last such join: the
-- process that migrated it may have died before it could report that.

-- Seconds. A server that has been up for less may have restarted, and other processes may not have reconnected yet.
local YOUNG_SERVER = 5

local damaged = false
for key, wanted in pairs({ [state] = 'hash', [stamps] = 'zset', [announced] = 'zset', [members] = 'zset', [index] = 'zset' }) do
  local found = redis.call('TYPE', key).ok
  if found ~= 'none' and found ~= wanted then
    redis.call('UNLINK', key)
    damaged = true
  end
end
proveWritable()
local serverNow, database, begun = serverName(), ARGV[6], 0
if whatWasLost(serverNow) or damaged or serverNow == '?' then
  begun = 1
  -- The stored generation may be nonsense, or too large to count up from.
  if not generation or generation ~= generation or generation > 2^52 then generation = 0 end
  generation = math.max(math.floor(generation), tonumber(ARGV[2])) + 1
  epoch, sequence, floor, server = ARGV[4], 0, 0, serverNow
  redis.call('UNLINK', state, stamps, announced)
  redis.call('ZADD', stamps, '+inf', SENTINEL .. epoch)
  redis.call('HSET', state, 'database', database)
  writeState()
elseif ARGV[7] == '1' and redis.call('HGET', state, 'database') ~= database then
  redis.call('HSET', state, 'database', database)
  stamp({ EVERYTHING })
end
redis.call('ZADD', members, milliseconds(), ARGV[5])
redis.call('PEXPIRE', members, KEPT_FOR)
local info = redis.pcall('INFO', 'server')
local uptime = type(info) == 'string' and tonumber(string.match(info, 'uptime_in_seconds:(%d+)')) or 0
return { epoch, generation, sequence, begun, uptime < YOUNG_SERVER and 1 or 0 }
