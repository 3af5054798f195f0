-- Everything is dead at once; the index of what there was is put aside under the key of its own, for SWEEP.

stamp({ EVERYTHING })
if redis.call('EXISTS', index) == 1 then
  redis.call('RENAME', index, KEYS[9])
  redis.call('PEXPIRE', KEYS[9], 3600000)
end
callOut()
return { epoch, generation, sequence }
