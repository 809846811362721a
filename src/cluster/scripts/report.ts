/**
 * A node renews its lease and says what it is at.
 * KEYS: state. ARGV: caller, id, the report as JSON.
 * Effect: where all slots are idle in this generation and their leases run, an end is proposed, under the name that the reporter gives it; where
 * all have put that end down, it has come. Guarantee: all slots are looked at in one moment.
 */
export const REPORT = `
local report = cjson.decode(ARGV[3])
me['until'] = now + report.leaseMs
me.figures = report.figures
local turned = false
if state.phase ~= 'ended' then
  me.standing = report.standing
  if report.standing == 'active' then
    me.confirmed = ''
    goesOn()
  end
  local idle, confirmed = 0, 0
  if state.phase == 'ending' and report.confirmed == state['end'] and report.standing == 'idle' then me.confirmed = report.confirmed end
  for slot = 0, state.nodes - 1 do
    local each = state.slots[tostring(slot)]
    if each and each.generation == state.generation and each['until'] > now and each.standing == 'idle' then idle = idle + 1 end
    if each and each.generation == state.generation and each.standing == 'idle' and state['end'] ~= '' and each.confirmed == state['end'] then
      confirmed = confirmed + 1
    end
  end
  if state.phase == 'running' and idle == state.nodes then
    state.phase = 'ending'
    state['end'] = report['end']
    turned = true
  elseif state.phase == 'ending' and confirmed == state.nodes then
    state.phase = 'ended'
    turned = true
  end
end
keep()
return answer({ turned = turned })
`;
