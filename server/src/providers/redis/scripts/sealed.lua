-- What validates an entry, or lists it, behind a digest of itself: a byte that has changed may belong to a tag or to the
-- number.

local function sealed(e)
  local packed = cmsgpack.pack(e)
  return redis.sha1hex(packed) .. packed
end

local function unsealed(text)
  if type(text) ~= 'string' then return nil end
  local packed = string.sub(text, 41)
  return redis.sha1hex(packed) == string.sub(text, 1, 40) and cmsgpack.unpack(packed) or nil
end
