-- The one function that stamps, for all scripts that do so. Follows POSITION.

-- How many stamps are remembered one by one; about 15 MB of Redis memory when full.
local MAX_STAMPS = 100000
local EVERYTHING = '*'

-- Takes the next number and stamps it. The oldest stamps over the limit are forgotten, and the floor rises to the
-- youngest of them: entries below it die early, none lives too long.
local function stamp(tags)
  if #tags == 0 then return end
  sequence = sequence + 1
  local everything = false
  for first = 1, #tags, 1000 do
    local pairs = {}
    for i = first, math.min(first + 999, #tags) do
      everything = everything or tags[i] == EVERYTHING
      pairs[#pairs + 1] = sequence
      pairs[#pairs + 1] = tags[i]
    end
    redis.call('ZADD', stamps, unpack(pairs))
  end
  local excess = redis.call('ZCARD', stamps) - 1 - MAX_STAMPS
  if everything then
    floor = sequence
    -- Noted here because the process that stamps may have no edge configured: see EDGE.
    redis.call('HSET', state, 'everything', epoch .. ' ' .. sequence)
    redis.call('UNLINK', stamps)
    redis.call('ZADD', stamps, '+inf', SENTINEL .. epoch)
  elseif excess > 0 then
    local youngest = redis.call('ZRANGE', stamps, excess - 1, excess - 1, 'WITHSCORES')
    floor = math.max(floor, tonumber(youngest[2]))
    redis.call('ZREMRANGEBYRANK', stamps, 0, excess - 1)
  end
  writeState()
end
