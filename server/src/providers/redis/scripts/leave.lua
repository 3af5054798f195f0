-- Keys: members. Argument: this process's name. It leaves with nothing untold.

return redis.call('ZREM', KEYS[1], ARGV[1])
