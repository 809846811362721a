/**
 * What an operator orders.
 * KEYS: state. ARGV: pause, go, stop or replace, and for the last the slot. Guarantee: an end that has come stays.
 */
export const ORDER = `
if not state then return refuse('gone') end
if ARGV[1] == 'replace' then
  local slot = state.slots[ARGV[2]]
  if slot and slot['until'] > now then return refuse('held') end
  state.slots[ARGV[2]] = {
    token = '', incarnation = '', generation = 0, ['until'] = 0, count = 0, standing = 'active', confirmed = '', figures = '{}',
  }
  goesOn()
elseif state.phase ~= 'ended' then
  state.phase = ARGV[1] == 'pause' and 'paused' or ARGV[1] == 'go' and 'running' or 'stopping'
  state['end'] = ''
end
keep()
return answer()
`;
