/**
 * Puts a crawl where there is none.
 * KEYS: state, config. ARGV: the state as JSON, the config, for how long the crawl has run before, whether no earlier call can have founded it.
 * Guarantee: of several founders one wins, and all learn whose crawl is there.
 */
export const FOUND = `
if not state then
  state = cjson.decode(ARGV[1])
  state.startedAt = now - tonumber(ARGV[3])
  state.server = ARGV[4] == 'sure' and server() or ''
  keep()
  redis.call('SET', KEYS[2], ARGV[2], 'EX', KEPT)
end
return answer()
`;
