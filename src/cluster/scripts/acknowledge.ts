/**
 * What a node has taken is durable in its store.
 * KEYS: state, its stream, the stream of the sender. ARGV: caller, id, body for the sender, ids of the entries as JSON.
 * Effect: the entries go, the sender is told, and the node is active; whether it still wants a grant it says anew. Guarantee: in one step, so that between sender and receiver one of them is
 * always active while mail is under way.
 */
export const ACKNOWLEDGE = `
if state.phase ~= 'ended' then
  me.standing = 'active'
  me.wants = 0
  me.confirmed = ''
  goesOn()
end
for _, entry in ipairs(cjson.decode(ARGV[4])) do redis.call('XDEL', KEYS[2], entry) end
redis.call('XADD', KEYS[3], '*', 'm', ARGV[3])
redis.call('EXPIRE', KEYS[3], KEPT)
keep()
return answer()
`;
