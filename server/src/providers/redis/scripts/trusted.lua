-- Precedes every script that serves or reports writes: the script runs only on a server that accepts writes, and only
-- while nothing is lost. Follows POSITION.

proveWritable()
local problem = lost()
if problem then return problem end
