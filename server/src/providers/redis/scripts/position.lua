-- Every script that uses the sequence begins with this file. Its keys are all bookkeeping keys, then its own. Arguments
-- 1 to 3 are what the calling process remembers: epoch, generation and the highest sequence number seen in that epoch.
-- The script replies epoch, generation and sequence first. `lost()` reads the current ones, and returns an error named
-- LOST if the bookkeeping cannot be trusted any more; only the join script mends that.
--
-- What counts as lost:
-- - the state or the stamps are gone (flushed, restarted empty, evicted): each is checked for the other's epoch;
-- - the state is not as a script has left it: `seal` is a digest of epoch, generation, sequence, floor, server and the
-- number of stamps, and the highest stamp (or the floor) has to be the latest number;
-- - the numbers went backwards against what this process remembers (old data restored);
-- - the dataset is kept by another server than the one that began the epoch (restart, failover, demotion): Redis draws
-- a new `master_replid` in each of these cases. `?` stands for a server that does not let us read it.

local state, stamps, announced, members, index, handed, owed = unpack(KEYS)
local SENTINEL = 'epoch:'
-- Milliseconds. No announcement holds for so long: a deadline further ahead belongs to no announcement, or was set
-- before the clock was put back.
local FAR_AHEAD = 600000
local epoch, generation, sequence, floor, server

local function serverName()
  local info = redis.pcall('INFO', 'replication')
  if type(info) ~= 'string' then return '?' end
  return string.match(info, 'master_replid:(%x+)') or '?'
end

-- A write that changes nothing. It fails where an invalidation would fail (read-only replica, disk error, too few
-- replicas), so that no entry is served by a server that would refuse an invalidation. And as the first write of the
-- script it exempts the few bytes of bookkeeping that follow from maxmemory.
local function proveWritable()
  redis.call('HDEL', state, '')
end

local function sealOf(sequence, floor, stamped)
  return redis.sha1hex(string.format('%s %.0f %.0f %.0f %s %.0f', epoch, generation, sequence, floor, server, stamped))
end

local function writeState()
  local stamped = redis.call('ZCARD', stamps)
  redis.call('HSET', state, 'epoch', epoch, 'generation', generation, 'sequence', sequence, 'floor', floor,
    'server', server, 'seal', sealOf(sequence, floor, stamped))
  -- Both keys expire, so that an application that is gone leaves nothing behind.
  redis.call('PEXPIRE', state, KEPT_FOR)
  redis.call('PEXPIRE', stamps, KEPT_FOR)
end

local function whatWasLost(serverNow)
  local kept = redis.call('HMGET', state, 'epoch', 'generation', 'sequence', 'floor', 'server', 'seal')
  epoch, generation, sequence, floor, server = kept[1], tonumber(kept[2]), tonumber(kept[3]), tonumber(kept[4]), kept[5]
  if not (epoch and generation and sequence and floor and server) then return 'its state' end
  if sealOf(sequence, floor, redis.call('ZCARD', stamps)) ~= kept[6] then
    return redis.call('EXISTS', stamps) == 0 and 'its stamps' or 'its state'
  end
  local top = redis.call('ZREVRANGE', stamps, 0, 1, 'WITHSCORES')
  if top[1] ~= SENTINEL .. epoch or math.max(floor, tonumber(top[4]) or 0) ~= sequence then return 'its stamps' end
  if server ~= serverNow then return 'its server' end
  local remembered = tonumber(ARGV[2])
  if generation < remembered then return 'recent data' end
  if generation == remembered and (epoch ~= ARGV[1] or sequence < tonumber(ARGV[3])) then return 'recent data' end
  return nil
end

local function lost()
  local what = whatWasLost(serverName())
  return what and redis.error_reply('LOST ' .. what)
end

-- Whether any of the tags was stamped after the number. Everything below the floor counts as stamped.
local function stampedSince(since, tags)
  if floor > since then return true end
  for first = 1, #tags, 1000 do
    local scores = redis.call('ZMSCORE', stamps, unpack(tags, first, math.min(first + 999, #tags)))
    for _, score in ipairs(scores) do
      if score and tonumber(score) > since then return true end
    end
  end
  return false
end

local function argumentsFrom(first)
  local list = {}
  for i = first, #ARGV do list[#list + 1] = ARGV[i] end
  return list
end

local function milliseconds()
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
end
