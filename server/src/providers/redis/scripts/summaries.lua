-- Own keys: the question (a hash of the tags asked about, see QUESTION), the prefix of entries (they share its slot).
-- Arguments: a cursor, how many entries to look at, whether all are meant (1) or only those with a tag of the question,
-- whether there is a question (1). Replies the next cursor, then of each valid entry: its name, its number, the lists of
-- which it carries a tag, its summary. Neither bodies nor tags pass through here.

local question, prefix = KEYS[8], KEYS[9]
local all, asks = ARGV[6] == '1', ARGV[7] == '1'
if asks and redis.call('EXISTS', question) == 0 then return redis.error_reply('GONE the question') end

local function isEntry(e)
  return type(e) == 'table' and e.epoch == epoch and type(e.sequence) == 'number' and e.sequence >= floor
    and type(e.tags) == 'table' and type(e.summary) == 'string'
end

local slice = redis.call('ZSCAN', index, ARGV[4], 'COUNT', ARGV[5])

-- Digests are not checked here: nothing is served by this reply, and they would cost more than all the rest.
local found, oldest = {}, sequence
for i = 1, #slice[2], 2 do
  local name = slice[2][i]
  local text = name ~= '' and redis.pcall('HGET', prefix .. name, 'v')
  local readable, _, e = pcall(cmsgpack.unpack_one, type(text) == 'string' and text, 40)
  if readable and isEntry(e) then
    found[#found + 1] = { name, e }
    if e.sequence < oldest then oldest = e.sequence end
  end
end

-- The tags of this slice, once each: entries share most of them.
local tags
local function tagsOfSlice()
  if tags then return tags end
  local known = {}
  tags = {}
  for _, pair in ipairs(found) do
    for _, tag in ipairs(pair[2].tags) do
      if not known[tag] then
        known[tag] = true
        tags[#tags + 1] = tag
      end
    end
  end
  return tags
end

-- What is noted for the tags: all that there is (`list`) if that is little, else by asking for each tag (`one`).
local function noted(key, count, list, one)
  local value = {}
  if count <= 1000 then
    local told = redis.call(unpack(list))
    for i = 1, #told, 2 do value[told[i]] = told[i + 1] end
    return value
  end
  local all = tagsOfSlice()
  for first = 1, #all, 1000 do
    local last = math.min(first + 999, #all)
    local told = redis.call(one, key, unpack(all, first, last))
    for i = first, last do value[all[i]] = told[i - first + 1] or nil end
  end
  return value
end

local since = '(' .. oldest
local stampOf = noted(stamps, redis.call('ZCOUNT', stamps, since, sequence),
  { 'ZRANGEBYSCORE', stamps, since, sequence, 'WITHSCORES' }, 'ZMSCORE')
local listsOf = asks and noted(question, redis.call('HLEN', question), { 'HGETALL', question }, 'HMGET') or {}

local reply = { epoch, generation, sequence, slice[1] }
for _, pair in ipairs(found) do
  local name, e = pair[1], pair[2]
  local valid, carried = true, {}
  local named = {}
  for i = 1, #e.tags do
    local tag = e.tags[i]
    local stamped, lists = stampOf[tag], listsOf[tag]
    if stamped and tonumber(stamped) > e.sequence then
      valid = false
      break
    end
    if lists and not named[lists] then
      named[lists] = true
      carried[#carried + 1] = lists
    end
  end
  if valid and (all or #carried > 0) then
    local n = #reply
    reply[n + 1], reply[n + 2], reply[n + 3], reply[n + 4] = name, e.sequence, table.concat(carried, ' '), e.summary
  end
end
return reply
