-- What happened since. The one question a first level asks.

proveWritable()
local problem = lost()
if problem then return problem end
