-- Arguments: the announcement to close (empty for none), how many tags it announced, those tags, the tags to stamp.

local id, count = ARGV[4], tonumber(ARGV[5])
stamp(argumentsFrom(6 + count))
if id ~= '' then
  local marked = {}
  for i = 1, count do marked[i] = ARGV[5 + i] end
  unmark(marked, id)
end
return { epoch, generation, sequence }
