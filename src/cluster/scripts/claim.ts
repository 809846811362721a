/**
 * Gives a slot to a process.
 * KEYS: state. ARGV: the claim as JSON.
 * Effect: its lease begins. Guarantee: never while another process's lease runs; never to another store than the one that has the slot, unless an
 * operator has given it away; a slot that nobody has had is given away only while nothing can have been forgotten (generation 1).
 */
export const CLAIM = `
local claim = cjson.decode(ARGV[1])
if not state then return refuse('gone') end
if state.id ~= claim.id then return refuse('other') end
local name = claim.slot and claim.slot ~= cjson.null and tostring(claim.slot) or nil
if not name then
  for slot = 0, state.nodes - 1 do
    local each = state.slots[tostring(slot)]
    if each and each.incarnation == claim.incarnation then name = tostring(slot) break end
  end
end
if not name then
  for slot = 0, state.nodes - 1 do
    local each = state.slots[tostring(slot)]
    if (not each and state.generation == 1) or (each and each.incarnation == '') then name = tostring(slot) break end
  end
end
if not name then
  for slot = 0, state.nodes - 1 do
    if not state.slots[tostring(slot)] then return refuse('replace') end
  end
  return refuse('full')
end
local slot = state.slots[name]
if slot and slot.token ~= claim.token and slot['until'] > now then
  return cjson.encode({ ok = false, refused = 'held', ['until'] = slot['until'], token = slot.token, now = now })
end
if slot and slot.incarnation ~= '' and slot.incarnation ~= claim.incarnation then return refuse('other_store') end
-- Asked once more it is answered alike: the answer to the first call may have been lost.
local isFirst = state.generation == 1 and (not slot or (slot.token == claim.token and slot.first == true))
local isSure = isFirst and state.server ~= '' and state.server == server()
local isReplaced = slot and (slot.incarnation == '' or slot.replaced == true) or false
state.slots[name] = {
  token = claim.token, incarnation = claim.incarnation, generation = state.generation, ['until'] = now + claim.leaseMs,
  count = 0, standing = 'active', confirmed = '', figures = '{}',
  replaced = isReplaced, first = isFirst,
}
goesOn()
keep()
return answer({ slot = tonumber(name), isFirst = isFirst, isSure = isSure, isReplaced = isReplaced })
`;
