-- The index of entries, for stats, for clearing and for purges by URL; nothing is served by it. One number says when an
-- entry expires and how large it is: whole seconds times 2^20, plus KiB (good to the year 2242). The member '' holds the
-- total in KiB, negated, so that it sorts below every entry and is lost only together with them. The state notes that
-- there is an index: if Redis evicts it, no entry of before may be served any more, because no purge by URL would find
-- it. Follows POSITION and STAMP.

local UNIT = 1048576
local INDEXED = 'indexed:' .. index

-- Whether the index has not been lost. If it has, everything is stamped.
local function indexHeld()
  if redis.call('EXISTS', index) == 1 or redis.call('HDEL', state, INDEXED) == 0 then return true end
  stamp({ EVERYTHING })
  return false
end

local function account(name, score)
  local old = redis.call('ZSCORE', index, name)
  local before = old and tonumber(old) % UNIT or 0
  -- The score was infinite: it is not ours.
  if before ~= before then before = 0 end
  local after = score and score % UNIT or 0
  if score then redis.call('ZADD', index, score, name)
  elseif old then redis.call('ZREM', index, name) end
  if before ~= after then redis.call('ZINCRBY', index, before - after, '') end
end

-- Entries expire without notice: a few expired ones are removed from the index with every new entry.
local function strikeExpired(seconds)
  local expired = redis.call('ZRANGEBYSCORE', index, '(0', seconds * UNIT, 'LIMIT', 0, 20)
  for _, name in ipairs(expired) do account(name, nil) end
end
