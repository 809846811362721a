/**
 * Begins each script. The whole state of a crawl, mail aside, is one text of JSON at KEYS[1]: a few hundred bytes a slot, read and written whole, so
 * that whatever a script decides, it decides upon one moment of all slots.
 */
export const CLOCK = `
-- Another process, or another leader, may have an older state than the one before. Whoever is not allowed to ask gets ''.
local function server()
  local process, place = redis.pcall('INFO', 'server'), redis.pcall('INFO', 'replication')
  if type(process) ~= 'string' or type(place) ~= 'string' then return '' end
  local run, leader = process:match('run_id:(%w+)'), place:match('master_replid:(%w+)')
  return run and leader and run .. ':' .. leader or ''
end
local function clock()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
`;

/** What is left of a crawl goes by itself when nobody has called for so long. To a crawl that goes on later it is as if Redis had been emptied. */
const KEPT_SECONDS = 7 * 24 * 3600;

export const COMMON = `
local KEPT = ${KEPT_SECONDS}
local now = clock()
local text = redis.call('GET', KEYS[1])
local state = text and cjson.decode(text)
local function keep() redis.call('SET', KEYS[1], cjson.encode(state), 'EX', KEPT) end
local function refuse(why) return cjson.encode({ ok = false, refused = why, generation = state and state.generation or 0 }) end
local function answer(more)
  local told = { ok = true, state = state, now = now }
  for name, value in pairs(more or {}) do told[name] = value end
  return cjson.encode(told)
end
-- What was under way to an end is not: somebody has work.
local function goesOn()
  if state.phase == 'ending' then state.phase = 'running' state['end'] = '' state.reason = '' end
end
`;

/**
 * Lets a call of the node that holds the slot through: ARGV[1] is the caller, ARGV[2] the id of the crawl. A count that is behind what a node has
 * done, or has seen others do, shows that what was written is gone (emptied, rolled back, a replica that lagged): a new generation begins, in which
 * every slot reports anew before anything ends.
 */
export const GUARD = `
if not state then return refuse('gone') end
if state.id ~= ARGV[2] then return refuse('other') end
local caller = cjson.decode(ARGV[1])
local me = state.slots[tostring(caller.slot)]
if state.generation > caller.generation then return refuse('generation') end
local isLost = state.generation < caller.generation or not me
  or (me.token == caller.token and me.count < caller.count - 1)
for slot, seen in pairs(caller.seen) do
  local other = state.slots[slot]
  if not other or (other.token == seen.token and other.count < seen.count) then isLost = true end
end
if isLost then
  state.generation = math.max(state.generation, caller.generation) + 1
  goesOn()
  for _, slot in pairs(state.slots) do slot.standing = 'active' slot.confirmed = '' end
  keep()
  return refuse('generation')
end
if me.token ~= caller.token then return refuse('lost') end
if me.generation ~= state.generation then return refuse('generation') end
if me.count > caller.count then return refuse('stale') end
me.count = caller.count
`;
