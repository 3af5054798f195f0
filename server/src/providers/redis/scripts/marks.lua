-- Announced tags. A field `p:<tag>` of the state names the announcements that are open on the tag, separated by
-- spaces; `announced` holds their deadlines. An announcement without a deadline, or past it, belongs to a process that
-- died or stalled: what it announced may have been committed, so the tag is stamped. Follows POSITION and STAMP.

local function marksOf(tags)
  local marks = {}
  local fields = {}
  for i, tag in ipairs(tags) do fields[i] = 'p:' .. tag end
  for first = 1, #fields, 1000 do
    local values = redis.call('HMGET', state, unpack(fields, first, math.min(first + 999, #fields)))
    for i, ids in ipairs(values) do
      if ids then marks[#marks + 1] = { tag = tags[first + i - 1], ids = ids } end
    end
  end
  return marks
end

local function writeMark(tag, ids)
  if #ids == 0 then redis.call('HDEL', state, 'p:' .. tag)
  else redis.call('HSET', state, 'p:' .. tag, table.concat(ids, ' ')) end
end

-- Whether any of the tags is announced. Overdue announcements are closed on the way, by a stamp.
local function announcedAny(tags)
  local marks = marksOf(tags)
  if #marks == 0 then return false end
  local now, live, overdue = milliseconds(), false, {}
  for _, mark in ipairs(marks) do
    local kept, dropped = {}, false
    for id in string.gmatch(mark.ids, '%S+') do
      local deadline = redis.call('ZSCORE', announced, id)
      deadline = deadline and tonumber(deadline) or 0
      if deadline > now and deadline < now + FAR_AHEAD then kept[#kept + 1] = id else dropped = true end
    end
    live = live or #kept > 0
    if dropped then overdue[#overdue + 1] = { tag = mark.tag, kept = kept } end
  end
  if #overdue > 0 then
    proveWritable()
    local tagsOverdue = {}
    for i, mark in ipairs(overdue) do
      tagsOverdue[i] = mark.tag
      writeMark(mark.tag, mark.kept)
    end
    stamp(tagsOverdue)
  end
  return live or #overdue > 0
end

local function unmark(tags, closing)
  for _, mark in ipairs(marksOf(tags)) do
    local kept = {}
    for id in string.gmatch(mark.ids, '%S+') do
      if id ~= closing then kept[#kept + 1] = id end
    end
    writeMark(mark.tag, kept)
  end
  redis.call('ZREM', announced, closing)
end
