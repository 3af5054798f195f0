-- Own key: the trash. Stamps everything, so that no entry is valid any more, and moves the index there for SWEEP.

stamp({ EVERYTHING })
redis.call('HDEL', state, INDEXED)
if redis.call('EXISTS', index) == 1 then
  redis.call('RENAME', index, KEYS[8])
  redis.call('PEXPIRE', KEYS[8], 3600000)
end
return { epoch, generation, sequence }
