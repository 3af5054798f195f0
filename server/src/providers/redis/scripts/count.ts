/** Keys: the sums of an interval. Arguments: how long they are kept (milliseconds), then names and increments. */
export const COUNT = `
for i = 2, #ARGV, 2 do redis.call('HINCRBY', KEYS[1], ARGV[i], ARGV[i + 1]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1
`;
