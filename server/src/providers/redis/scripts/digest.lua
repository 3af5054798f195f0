-- A tag as a number, its digest's first 48 bits, for listing entries: a list of numbers is read many times faster than one of
-- texts. Nothing is served by it. Two tags out of some 2^24 have the same number by chance.

local DIGEST = 'I6'

local function digestOf(tag)
  return tonumber(string.sub(redis.sha1hex(tag), 1, 12), 16)
end

local function packedDigests(tags)
  local packed = {}
  for i, tag in ipairs(tags) do packed[i] = struct.pack(DIGEST, digestOf(tag)) end
  return table.concat(packed)
end

-- Lua's stack has no room for more than some 8,000 values, and an entry may have more tags.
local AT_ONCE = 1000
local formatOf = {}

local function unpackedDigests(packed)
  local digests, size = {}, struct.size(DIGEST)
  for first = 1, #packed, AT_ONCE * size do
    local count = math.min((#packed - first + 1) / size, AT_ONCE)
    formatOf[count] = formatOf[count] or string.rep(DIGEST, count)
    local some = { struct.unpack(formatOf[count], packed, first) }
    -- The last value is a position.
    some[#some] = nil
    if first == 1 then digests = some
    else for _, digest in ipairs(some) do digests[#digests + 1] = digest end
    end
  end
  return digests
end
