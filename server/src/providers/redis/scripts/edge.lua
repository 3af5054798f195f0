-- What caches at the edge were given, and what they have to purge. `handed` is a set of keys. If there are more than
-- MAX_HANDED, or if some were lost, it holds only ALL, and every key counts as issued: processes remember which
-- keys they have put there, and do not put them there again. `owed` is a hash: for each write its time, keys and
-- documents. The state holds the sizes of both (`edge`), so that a loss is noticed, and the id under which everything
-- is owed (`everything`), if it is, with the time at which a process was told so (`told`). Follows POSITION.

local ALL = '*'
local MAX_HANDED = 200000
local MAX_OWED = 1000

local function sizes()
  local given, due = redis.pcall('SCARD', handed), redis.pcall('HLEN', owed)
  return type(given) == 'number' and type(due) == 'number' and given .. ' ' .. due
end

local function writeEdge()
  redis.call('HSET', state, 'edge', sizes())
  redis.call('PEXPIRE', handed, KEPT_FOR)
  redis.call('PEXPIRE', owed, KEPT_FOR)
end

local function oweEverything()
  local t = redis.call('TIME')
  redis.call('HSET', state, 'everything', t[1] .. '.' .. t[2])
end

-- Begins anew if nothing is noted yet, or if the sizes are not as noted. In a new epoch nothing is noted, and no
-- process remembers any keys, so ALL is not needed.
local function mendEdge()
  local noted = redis.call('HGET', state, 'edge')
  if noted and noted == sizes() then return end
  redis.call('UNLINK', handed, owed)
  if noted then redis.call('SADD', handed, ALL) end
  oweEverything()
  writeEdge()
end

-- The id under which everything is owed; empty if it is not, or if a process was told so less than `age` milliseconds ago.
-- A process that is told so pays. A time in the future counts as long ago: the clock was put back.
local function everythingOwed(age)
  local id, now = redis.call('HGET', state, 'everything') or '', milliseconds()
  local at, told = string.match(redis.call('HGET', state, 'told') or '', '^(%d+) (.*)$')
  at = tonumber(at or 0)
  if told == id and at <= now and at > now - age then return '' end
  if id ~= '' then redis.call('HSET', state, 'told', now .. ' ' .. id) end
  return id
end
