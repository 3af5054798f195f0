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

local function unpackedDigests(packed)
  local digests = { struct.unpack(string.rep(DIGEST, #packed / struct.size(DIGEST)), packed) }
  -- The last value is a position.
  digests[#digests] = nil
  return digests
end
