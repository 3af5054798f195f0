-- Everything is dead at once; the index of what there was is put aside under the key of its own, for SWEEP.

stamp({ EVERYTHING })
if redis.call('EXISTS', index) == 1 then
  redis.call('RENAME', index, KEYS[8])
  redis.call('PEXPIRE', KEYS[8], 3600000)
end
return { epoch, generation, sequence }
