/**
 * Has nodes look at the state now.
 * KEYS: state, streams. ARGV: most entries. Effect: an entry without mail in each stream that has room. Guarantee: none; nobody depends on it.
 */
export const WAKE = `
for place = 2, #KEYS do
  if redis.call('XLEN', KEYS[place]) < tonumber(ARGV[1]) then redis.call('XADD', KEYS[place], '*', 'm', '') end
  redis.call('EXPIRE', KEYS[place], KEPT)
end
return answer()
`;
