-- Arguments: the announcement's name, how long it holds without being renewed (milliseconds), tags. Stamps the tags, so
-- that no entry carrying them is valid, and marks them, so that none is stored until the announcement is closed.

local id, holds = ARGV[4], tonumber(ARGV[5])
local tags = argumentsFrom(6)
stamp(tags)
redis.call('ZADD', announced, milliseconds() + holds, id)
redis.call('PEXPIRE', announced, KEPT_FOR)
local open = {}
for _, mark in ipairs(marksOf(tags)) do open[mark.tag] = mark.ids end
for _, tag in ipairs(tags) do
  redis.call('HSET', state, 'p:' .. tag, open[tag] and open[tag] .. ' ' .. id or id)
end
return { epoch, generation, sequence }
