-- What caches at the edge were given, and have to purge. `handed` is a set of keys; of more than MAX_HANDED, or where some were lost, it holds only ALL, and every key counts as handed out: processes
-- remember which ones they have put there, and do not put them there again. `owed` is a hash: what was written, by when
-- that was, keys and documents. The state holds how many of both there are, so that it shows where either was lost, and
-- what everything is owed as (`everything`), where it is. Follows POSITION.

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

-- Begins anew where nothing is known, or less than was noted. In a new epoch nobody remembers anything any more.
local function mendEdge()
  local noted = redis.call('HGET', state, 'edge')
  if noted and noted == sizes() then return end
  redis.call('UNLINK', handed, owed)
  if noted then redis.call('SADD', handed, ALL) end
  oweEverything()
  writeEdge()
end
