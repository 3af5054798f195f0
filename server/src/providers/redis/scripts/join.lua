-- What a process says first on every new connection and after every fault; the only script that begins an epoch. Arguments:
-- a name for a new epoch, this process's name, the state of the database it has found at its boot, 1 if it joins for the
-- first time. Replies 1 if a new epoch was begun, and 1 if the server is young: then others may still be on their way back
-- with something to tell.
--
-- A new epoch's generation is above every one that is kept or remembered, so that of two epochs everybody knows the
-- later one. Where the server does not tell its name (INFO not allowed), every join begins an epoch: it cannot be known
-- whether the data is still the same. A key that is not of its type is deleted, whoever made it what it is.
--
-- A process that finds the database migrated since anybody joined stamps everything: whoever migrated it may have died
-- before saying so.

-- A server younger than this may have restarted, and other processes may not have found it again. Seconds.
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
  -- What is kept may be nonsense, and more than a number can count up from.
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
