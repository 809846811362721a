/**
 * A node renews its lease and says what it is at.
 * KEYS: state, config, its stream. ARGV: caller, id, the report as JSON.
 * Effect: where all slots are idle in this generation and their leases run, an end is proposed, under the name that the reporter gives it; where
 * all have put that end down, it has come. Not while one wants a grant that another has not used: that one gives it. Where the time of the crawl
 * is over, or all have fetched as many bytes as it may have, it is stopped. Guarantee: all slots are looked at in one moment.
 */
export const REPORT = `
local report = cjson.decode(ARGV[3])
me['until'] = now + report.leaseMs
redis.call('EXPIRE', KEYS[2], KEPT)
redis.call('EXPIRE', KEYS[3], KEPT)
me.figures = report.figures
local turned = false
me.unused = report.unused
me.wants = report.wants
me.bytes = report.bytes
if state.phase ~= 'ended' and state.phase ~= 'stopping' then
  local bytes = state.lostBytes
  for _, each in pairs(state.slots) do bytes = bytes + (each.bytes or 0) end
  local limit = ''
  if state.durationMs > 0 and now - state.startedAt >= state.durationMs then limit = 'duration' end
  if state.maxBytes > 0 and bytes >= state.maxBytes then limit = 'max_bytes' end
  if limit ~= '' then
    state.phase = 'stopping'
    state.reason = limit
    state['end'] = ''
    turned = true
  end
end
if state.phase ~= 'ended' then
  me.standing = report.standing
  if report.standing == 'active' then
    me.confirmed = ''
    goesOn()
  end
  local idle, confirmed, unused, wants = 0, 0, 0, 0
  if state.phase == 'ending' and report.confirmed == state['end'] and report.standing == 'idle' then me.confirmed = report.confirmed end
  for slot = 0, state.nodes - 1 do
    local each = state.slots[tostring(slot)]
    if each and each.generation == state.generation and each['until'] > now and each.standing == 'idle' then idle = idle + 1 end
    if each and each.generation == state.generation and each.standing == 'idle' and state['end'] ~= '' and each.confirmed == state['end'] then
      confirmed = confirmed + 1
    end
    if each then
      unused = unused + (each.unused or 0)
      wants = wants + (each.wants or 0)
    end
  end
  if state.phase == 'running' and idle == state.nodes and (wants == 0 or unused == 0) then
    state.phase = 'ending'
    state.reason = wants > 0 and 'max_urls' or ''
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
