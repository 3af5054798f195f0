import { POSITION } from './position';

/** A server younger than this may have restarted, and other processes may not have found it again. Seconds. */
const YOUNG_SERVER = 5;

/**
 * What a process says first on every new connection and after every fault; the only script that begins an epoch. Keys:
 * state, stamps, announced, members. Arguments: what is remembered (3), a name for a new epoch, this process's name.
 * Replies: epoch, generation, sequence, and 1 if a new epoch was begun or the server is young: then others may still be
 * on their way back with something to tell.
 *
 * A new epoch's generation is above every one that is kept or remembered, so that of two epochs everybody knows the
 * later one. Where the server does not tell its name (INFO not allowed), every join begins an epoch: it cannot be known
 * whether the data is still the same.
 */
export const JOIN = `${POSITION}
proveWritable()
local serverNow = serverName()
local begun = 0
if serverNow == '?' or whatWasLost(epoch, generation, sequence, server, serverNow) then
  begun = 1
  generation = math.max(generation or 0, tonumber(ARGV[2])) + 1
  epoch, sequence = ARGV[4], 0
  redis.call('UNLINK', state, stamps, announced)
  redis.call('HSET', state, 'epoch', epoch, 'generation', generation, 'sequence', 0, 'floor', 0, 'server', serverNow)
  redis.call('ZADD', stamps, '+inf', SENTINEL .. epoch)
end
redis.call('ZADD', KEYS[4], milliseconds(), ARGV[5])
local info = redis.pcall('INFO', 'server')
local uptime = type(info) == 'string' and tonumber(string.match(info, 'uptime_in_seconds:(%d+)')) or 0
return { epoch, generation, sequence, begun, uptime < ${YOUNG_SERVER} and 1 or 0 }
`;

/** Keys: members. Argument: this process's name. It leaves with nothing untold. */
export const LEAVE = `return redis.call('ZREM', KEYS[1], ARGV[1])`;
