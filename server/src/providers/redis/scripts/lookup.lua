-- Own keys: entry, lease. Arguments: the name of the entry in the index, how long a lease lasts (milliseconds, 0 for none),
-- the guard's number (empty for no guard), the guard's tags. Replies: 1, the entry's number, its version; or 0 and, where
-- one was asked for, whether the lease was given. The body does not pass through here: the caller fetches it in the same
-- round trip and compares versions.

local entry, lease = KEYS[8], KEYS[9]

local function guardHolds()
  local since = tonumber(ARGV[6])
  if not since then return true end
  local tags = argumentsFrom(7)
  if epoch ~= ARGV[1] or stampedSince(since, tags) then return false end
  tags[#tags + 1] = EVERYTHING
  return not announcedAny(tags)
end

-- What is not as it was stored is no entry, whatever it is.
local sealed = redis.pcall('HGET', entry, 'v')
if sealed then
  local e = unsealed(sealed)
  if e and e.epoch == epoch and not stampedSince(e.sequence, e.tags) then
    if guardHolds() then return { epoch, generation, sequence, 1, e.sequence, e.version } end
    return { epoch, generation, sequence, 0 }
  end
  redis.call('UNLINK', entry)
  account(ARGV[4], nil)
end

local leaseFor = tonumber(ARGV[5])
if leaseFor == 0 then return { epoch, generation, sequence, 0 } end
local holder = redis.pcall('GET', lease)
-- '-' says: what is computed here cannot be stored for the moment, do not wait for it.
if holder == '-' then return { epoch, generation, sequence, 0, 1 } end
-- What is computed in an epoch that is over cannot be stored, and its holder may have had no way to say so.
if holder == epoch then return { epoch, generation, sequence, 0, 0 } end
redis.call('SET', lease, epoch, 'PX', leaseFor)
return { epoch, generation, sequence, 0, 1 }
