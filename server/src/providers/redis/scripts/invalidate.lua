-- Keys: state, stamps, announced, channel. Arguments: what is remembered (3), the announcement to close (empty for
-- none), how many tags it announced, those tags, the tags to stamp. Replies: epoch, generation, sequence.

local id, count = ARGV[4], tonumber(ARGV[5])
stamp(argumentsFrom(6 + count))
if id ~= '' then
  local marked = {}
  for i = 1, count do marked[i] = ARGV[5 + i] end
  unmark(marked, id)
end
callOut(KEYS[4])
return { epoch, generation, sequence }
