-- The index of entries, for stats and for clearing; nothing is served by it. One number says when an entry expires and
-- how large it is: whole seconds times 2^20, plus KiB (good to the year 2242). The member '' holds the total in KiB,
-- negated, so that it sorts below every entry and is lost only together with them. Follows POSITION.

local UNIT = 1048576

local function account(name, score)
  local old = redis.call('ZSCORE', index, name)
  local before = old and tonumber(old) % UNIT or 0
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
