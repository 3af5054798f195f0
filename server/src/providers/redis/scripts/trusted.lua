-- Goes before what serves, or tells of writes: only a server that could be told of a write does, and only while nothing
-- is lost. Follows POSITION.

proveWritable()
local problem = lost()
if problem then return problem end
