/**
 * Mail goes into the stream of its receiver.
 * KEYS: state, stream. ARGV: caller, id, body, most entries. Effect: one entry, or none where the stream is full: then `full` is said.
 */
export const SEND = `
local isFull = redis.call('XLEN', KEYS[2]) >= tonumber(ARGV[4])
if not isFull then redis.call('XADD', KEYS[2], '*', 'm', ARGV[3]) end
redis.call('EXPIRE', KEYS[2], KEPT)
keep()
return answer({ full = isFull })
`;
