-- Own keys: the question (digests of the tags asked about, see QUESTION), the prefix of entries (they share its slot).
-- Arguments: a cursor, how many entries to look at, whether all are meant (1) or only those with a tag of the question,
-- whether there is a question (1). Replies the next cursor, then of each valid entry: its name, how far its number lies
-- back, the lists of which it carries a tag, its summary. Neither bodies nor tags pass through here. An entry that cannot
-- be listed is not served afterwards either. Follows SEALED, DIGEST and INDEX.

-- Carried by the copies that processes keep of entries, all of them.
local COPIES = 'entry:'

local question, prefix = KEYS[8], KEYS[9]
local all, asks = ARGV[6] == '1', ARGV[7] == '1'
if asks and redis.call('EXISTS', question) == 0 then return redis.error_reply('GONE the question') end

-- So many stamps are read as a whole. Where there are more, those of the slice's tags are looked up.
local FEW = 1000

local function listingOf(name)
  local e = unsealed(redis.pcall('HGET', prefix .. name, 'l'))
  return e and { name = name, epoch = e[1], sequence = e[2], packed = e[3], summary = e[4] }
end

indexHeld()
local slice = redis.call('ZSCAN', index, ARGV[4], 'COUNT', ARGV[5])
local found, oldest, now = {}, sequence, tonumber(redis.call('TIME')[1])
-- Whether an entry of which there may be copies is not in the list.
local isMissing = redis.call('HDEL', state, EVICTED) == 1
for i = 1, #slice[2], 2 do
  local name = slice[2][i]
  if name ~= '' then
    local e = listingOf(name)
    if not e then
      -- It has expired; or it is damaged or evicted, and it or a copy could be served although no purge by URL would find
      -- it.
      isMissing = redis.call('UNLINK', prefix .. name) == 1 or isEarly(slice[2][i + 1], now) or isMissing
      account(name, nil)
    elseif e.epoch == epoch and e.sequence >= floor then
      found[#found + 1] = e
      if e.sequence < oldest then oldest = e.sequence end
    end
  end
end

if isMissing then stamp({ COPIES }) end

local function digestsOf(e)
  e.digests = e.digests or unpackedDigests(e.packed)
  return e.digests
end

local function tagsOf(e)
  if not e.tags then
    local validation = unsealed(redis.pcall('HGET', prefix .. e.name, 'v'))
    e.tags = validation and validation.tags or {}
  end
  return e.tags
end

local function stampsByDigest(since)
  local list, stampOf = redis.call('ZRANGEBYSCORE', stamps, since, sequence, 'WITHSCORES'), {}
  for i = 1, #list, 2 do stampOf[digestOf(list[i])] = tonumber(list[i + 1]) end
  return stampOf
end

-- Entries share most of their tags: each is looked up once.
local function stampsByTag()
  local stampOf, tags = {}, {}
  for _, e in ipairs(found) do
    for _, tag in ipairs(tagsOf(e)) do
      if not stampOf[tag] then
        stampOf[tag] = -1
        tags[#tags + 1] = tag
      end
    end
  end
  for first = 1, #tags, 1000 do
    local scores = redis.call('ZMSCORE', stamps, unpack(tags, first, math.min(first + 999, #tags)))
    for i, score in ipairs(scores) do stampOf[tags[first + i - 1]] = tonumber(score) end
  end
  return stampOf
end

local stampOf, namesOf, since = nil, digestsOf, '(' .. oldest
if redis.call('ZCOUNT', stamps, since, sequence) <= FEW then
  stampOf = stampsByDigest(since)
else
  stampOf, namesOf = stampsByTag(), tagsOf
end

local listsOf
for _, packed in ipairs(asks and redis.call('HVALS', question) or {}) do
  local part = cmsgpack.unpack(packed)
  listsOf = listsOf or part
  if listsOf ~= part then
    for digest, lists in pairs(part) do listsOf[digest] = lists end
  end
end

-- An entry that is younger than all these stamps needs no look at its tags.
local latest = 0
for _, stamped in pairs(stampOf) do latest = math.max(latest, stamped) end

local function isStamped(e)
  if e.sequence >= latest then return false end
  local names = namesOf(e)
  for i = 1, #names do
    local stamped = stampOf[names[i]]
    if stamped and stamped > e.sequence then return true end
  end
  return false
end

local function carriedBy(e)
  local carried, named, digests = {}, {}, digestsOf(e)
  for i = 1, #digests do
    local lists = listsOf[digests[i]]
    if lists and not named[lists] then
      named[lists] = true
      carried[#carried + 1] = lists
    end
  end
  return table.concat(carried, ' ')
end

local reply = { epoch, generation, sequence, slice[1] }
for _, e in ipairs(found) do
  if not isStamped(e) then
    local carried = listsOf and carriedBy(e) or ''
    if all or carried ~= '' then
      local n = #reply
      reply[n + 1], reply[n + 2], reply[n + 3], reply[n + 4] = e.name, sequence - e.sequence, carried, e.summary
    end
  end
end
return reply
