-- Arguments: how many keys, keys, and for each guard: its number, how many tags, tags. Notes that a response with these
-- keys is issued. Refuses if a guard's tag was stamped since its number, or is announced: the write has then looked
-- up which keys were issued, or is about to. Replies 1 if the keys are noted.

mendEdge()
local count = tonumber(ARGV[4])
local named, at = { EVERYTHING }, 5 + count
while at <= #ARGV do
  local since, last, tags = tonumber(ARGV[at]), at + 1 + tonumber(ARGV[at + 1]), {}
  for i = at + 2, last do tags[#tags + 1], named[#named + 1] = ARGV[i], ARGV[i] end
  if epoch ~= ARGV[1] or stampedSince(since, tags) then return { epoch, generation, sequence, 0 } end
  at = last + 1
end
if announcedAny(named) then return { epoch, generation, sequence, 0 } end
if redis.call('SISMEMBER', handed, ALL) == 0 then
  for i = 5, 4 + count do redis.call('SADD', handed, ARGV[i]) end
  if redis.call('SCARD', handed) > MAX_HANDED then
    redis.call('UNLINK', handed)
    redis.call('SADD', handed, ALL)
  end
  writeEdge()
end
return { epoch, generation, sequence, 1 }
