-- Own key: the entry. Arguments: its name in the index, the guard's number (empty for no guard), the guard's tags.
-- Replies 1, how far the entry's number lies back, and its version; or 0. The body does not pass through here: the
-- caller fetches it in the same round trip and compares versions.

local entry = KEYS[8]

local function guardHolds()
  local since = tonumber(ARGV[5])
  if not since then return true end
  local tags = argumentsFrom(6)
  if epoch ~= ARGV[1] or stampedSince(since, tags) then return false end
  tags[#tags + 1] = EVERYTHING
  return not announcedAny(tags)
end

-- Whatever is not as it was stored does not count as an entry, and is deleted.
local sealed = redis.pcall('HGET', entry, 'v')
if sealed then
  local e = unsealed(sealed)
  if e and e.epoch == epoch and not stampedSince(e.sequence, e.tags) then
    if guardHolds() then return { epoch, generation, sequence, 1, sequence - e.sequence, e.version } end
    return { epoch, generation, sequence, 0 }
  end
  redis.call('UNLINK', entry)
  account(ARGV[4], nil)
end
return { epoch, generation, sequence, 0 }
