/**
 * Whether the user of a connection may do what the other scripts do.
 * KEYS: one that nobody uses. Effect: none, when it is over.
 */
export const PROBE = `
redis.call('TIME')
redis.call('SET', KEYS[1], '')
redis.call('GET', KEYS[1])
redis.call('DEL', KEYS[1])
local entry = redis.call('XADD', KEYS[1], '*', 'm', '')
redis.call('EXPIRE', KEYS[1], 60)
redis.call('XLEN', KEYS[1])
redis.call('XDEL', KEYS[1], entry)
redis.call('DEL', KEYS[1])
return 'done'
`;
