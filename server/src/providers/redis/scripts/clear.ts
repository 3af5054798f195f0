import { INDEX } from './index-of-entries';
import { POSITION } from './position';
import { STAMP } from './stamp';

/**
 * Keys: state, stamps, announced, channel, trash, index. Arguments: what is remembered (3). Everything is dead at once;
 * the index of what there was is put aside, for SWEEP.
 */
export const CLEAR = `${POSITION}${STAMP}
proveWritable()
local problem = lost()
if problem then return problem end
stamp({ EVERYTHING })
if redis.call('EXISTS', KEYS[6]) == 1 then
  redis.call('RENAME', KEYS[6], KEYS[5])
  redis.call('PEXPIRE', KEYS[5], 3600000)
end
callOut(KEYS[4])
return { epoch, generation, sequence }
`;

/**
 * Keys: trash, index, the prefix of entries (they share its slot). Argument: how many. Deletes a slice of what was
 * cleared, except what has been stored anew. Replies how many are left.
 */
export const SWEEP = `
if redis.call('TYPE', KEYS[1]).ok ~= 'zset' then return 0 end
local popped = redis.call('ZPOPMIN', KEYS[1], tonumber(ARGV[1]))
for i = 1, #popped, 2 do
  local name = popped[i]
  if name ~= '' and not redis.call('ZSCORE', KEYS[2], name) then redis.call('UNLINK', KEYS[3] .. name) end
end
return redis.call('ZCARD', KEYS[1])
`;

/**
 * Keys: state, stamps, announced, channel, entry, index. Arguments: what is remembered (3), the name in the index, the
 * tag that first levels know the entry by. Replies: epoch, generation, sequence, 1 if there was an entry.
 */
export const DROP = `${POSITION}${STAMP}${INDEX}
proveWritable()
local problem = lost()
if problem then return problem end
local there = redis.call('UNLINK', KEYS[5])
account(ARGV[4], nil)
stamp({ ARGV[5] })
callOut(KEYS[4])
return { epoch, generation, sequence, there }
`;
