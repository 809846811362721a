/**
 * What an operator orders.
 * KEYS: state. ARGV: pause, go, stop or replace, and for the last the slot. Guarantee: an end that has come stays. What goes on after a stop has
 * its whole time again.
 */
export const ORDER = `
if not state then return refuse('gone') end
if ARGV[1] == 'replace' then
  local slot = state.slots[ARGV[2]]
  if slot and slot['until'] > now then return refuse('held') end
  state.lostBytes = state.lostBytes + (slot and slot.bytes or 0)
  state.slots[ARGV[2]] = {
    token = '', incarnation = '', generation = 0, ['until'] = 0, count = 0, standing = 'active', confirmed = '', figures = '{}',
  }
  goesOn()
elseif state.phase ~= 'ended' then
  if state.phase == 'stopping' and ARGV[1] == 'go' then state.startedAt = now end
  state.reason = ''
  state.phase = ARGV[1] == 'pause' and 'paused' or ARGV[1] == 'go' and 'running' or 'stopping'
  state['end'] = ''
end
keep()
return answer()
`;
