-- Keys: state, stamps, announced, channel. Arguments: what is remembered (3), the guard's number, its tags. Replies:
-- epoch, generation, sequence, 1 if anything was stamped since or is announced.

proveWritable()
local problem = lost()
if problem then return problem end
local tags = argumentsFrom(5)
local stamped = epoch ~= ARGV[1] or stampedSince(tonumber(ARGV[4]), tags)
if not stamped then
  local before = sequence
  tags[#tags + 1] = EVERYTHING
  stamped = announcedAny(tags)
  if sequence ~= before then callOut(KEYS[4]) end
end
return { epoch, generation, sequence, stamped and 1 or 0 }
