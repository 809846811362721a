/**
 * Puts a crawl where there is none.
 * KEYS: state, config. ARGV: the state as JSON, the config, whether no earlier call can have done so. Guarantee: of several founders one wins, and all learn whose crawl is there.
 */
export const FOUND = `
if not state then
  state = cjson.decode(ARGV[1])
  state.server = ARGV[3] == 'sure' and server() or ''
  keep()
  redis.call('SET', KEYS[2], ARGV[2])
end
return answer()
`;
