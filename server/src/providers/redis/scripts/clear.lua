-- Keys: state, stamps, announced, channel, trash, index. Arguments: what is remembered (3). Everything is dead at once;
-- the index of what there was is put aside, for SWEEP.

stamp({ EVERYTHING })
if redis.call('EXISTS', KEYS[6]) == 1 then
  redis.call('RENAME', KEYS[6], KEYS[5])
  redis.call('PEXPIRE', KEYS[5], 3600000)
end
callOut(KEYS[4])
return { epoch, generation, sequence }
