-- Arguments: how long announcements hold, their names.

local deadline = milliseconds() + tonumber(ARGV[4])
for i = 5, #ARGV do redis.call('ZADD', announced, deadline, ARGV[i]) end
return { epoch, generation, sequence }
