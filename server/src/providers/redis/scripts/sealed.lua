-- What validates an entry, behind a digest of itself: a byte that has changed may be a tag's or the number's.

local function sealed(e)
  local packed = cmsgpack.pack(e)
  return redis.sha1hex(packed) .. packed
end

local function unsealed(text)
  if type(text) ~= 'string' then return nil end
  local packed = string.sub(text, 41)
  return redis.sha1hex(packed) == string.sub(text, 1, 40) and cmsgpack.unpack(packed) or nil
end
