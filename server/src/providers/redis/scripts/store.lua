-- Own keys: the entry, the prefix of entries (they share its slot). Arguments: its name in the index, its number, its
-- version, its time to live (milliseconds), its size (KiB), metadata, body, summary, the tag by which first levels know
-- it, its tags. Replies 1 if it was kept, 2 if there is no room for it. The first write is the entry's own, so that
-- maxmemory is respected: no proveWritable() here.

local entry = KEYS[8]
local problem = lost()
if problem then return problem end

local name, number, version, ttl, size = ARGV[4], tonumber(ARGV[5]), ARGV[6], tonumber(ARGV[7]), tonumber(ARGV[8])
local tags, named = argumentsFrom(13), argumentsFrom(12)
named[#named + 1] = EVERYTHING

local function refuse()
  return { epoch, generation, sequence, 0 }
end

-- What another process was computing while somebody deleted the entry was made from what that person knew to be wrong.
if epoch ~= ARGV[1] or stampedSince(number, named) or announcedAny(named) then return refuse() end

local validation = sealed({ epoch = epoch, sequence = number, version = version, tags = tags })
local listing = sealed({ epoch, number, packedDigests(tags), ARGV[11] })
local function write()
  return redis.pcall('HSET', entry, 'v', validation, 'l', listing, 'm', ARGV[9], 'b', ARGV[10])
end
local written = write()
if type(written) == 'table' and written.err and string.find(written.err, 'WRONGTYPE', 1, true) then
  redis.call('UNLINK', entry)
  written = write()
end
if type(written) == 'table' and written.err then
  if not string.find(written.err, 'OOM', 1, true) then return written end
  return { epoch, generation, sequence, 2 }
end
if not indexHeld() then
  redis.call('UNLINK', entry)
  return refuse()
end
redis.call('PEXPIRE', entry, ttl)
local now = tonumber(redis.call('TIME')[1])
account(name, (now + math.ceil(ttl / 1000)) * UNIT + math.min(size, UNIT - 1))
strikeExpired(now)
strikeEvicted(KEYS[9], now)
redis.call('PEXPIRE', index, KEPT_FOR)
redis.call('HSETNX', state, INDEXED, 1)
return { epoch, generation, sequence, 1 }
