/**
 * Takes all that Redis has of a crawl away.
 * KEYS: state, config, every stream. Guarantee: not while somebody holds a slot.
 */
export const FORGET = `
if not state then return refuse('gone') end
for _, slot in pairs(state.slots) do
  if slot['until'] > now then return refuse('held') end
end
for _, key in ipairs(KEYS) do redis.call('DEL', key) end
return answer()
`;
