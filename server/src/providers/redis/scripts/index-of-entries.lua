-- The index of entries, for stats, for clearing and for purges by URL; nothing is served by it. One number says when an
-- entry expires and how large it is: whole seconds times 2^20, plus KiB (good to the year 2242). The member '' holds the
-- total in KiB, negated, so that it sorts below every entry and is lost only together with them. The state notes that
-- there is an index: if Redis evicts it, no entry of before may be served any more, because no purge by URL would find
-- it. Follows POSITION and STAMP.

local UNIT = 1048576
local INDEXED = 'indexed:' .. index
-- A field of the state: evicted entries have been removed from the index.
local EVICTED = 'evicted'

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

-- Whether Redis has dropped an entry before its time. The index may have it a second longer than Redis.
local function isEarly(score, seconds)
  return tonumber(score) > (seconds + 2) * UNIT
end

-- Redis evicts entries without notice: a few are looked for with every new entry, or the names of evicted ones would fill
-- the memory. Copies of them may still be served: see SUMMARIES.
local function strikeEvicted(prefix, seconds)
  local some = redis.call('ZRANDMEMBER', index, 3, 'WITHSCORES')
  for i = 1, #some, 2 do
    if some[i] ~= '' and isEarly(some[i + 1], seconds) and redis.call('EXISTS', prefix .. some[i]) == 0 then
      account(some[i], nil)
      redis.call('HSET', state, EVICTED, 1)
    end
  end
end

-- Entries expire without notice: a few expired ones are removed from the index with every new entry.
local function strikeExpired(seconds)
  local expired = redis.call('ZRANGEBYSCORE', index, '(0', seconds * UNIT, 'LIMIT', 0, 20)
  for _, name in ipairs(expired) do account(name, nil) end
end
