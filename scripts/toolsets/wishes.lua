-- The argument `allow` of tools that start commands: what a command needs beyond the sandbox in
-- which it runs. A person is asked about just that.
local M = {}

local PATTERN = [[^(network|sign|port:[0-9]{1,5}|(read|write):~?/.*)$]]

local function listed(rare)
  return schema.array(schema.string { pattern = PATTERN }, {
    description = 'Asks a person for more: network, sign, port:N, read:PATH, write:PATH',
    max_items = 32, optional = true, rare = rare,
  })
end

M.SCHEMA = listed('unconfined')
-- For tools with few parameters: the refusal says it.
M.RARE = listed(true)

local KINDS = { read = 'read:', write = 'write:', port = 'port:' }

-- Returns what to ask for, so that what was refused is not: each once.
local function wishes_of(refusals)
  local wishes, seen = {}, {}
  for _, refusal in ipairs(refusals) do
    local kind = KINDS[refusal.what]
    local wish = refusal.what == 'network' and 'network' or kind and refusal.path
      and not refusal.never and kind .. refusal.path
    if wish and not seen[wish] then
      seen[wish] = true
      wishes[#wishes + 1] = wish
    end
  end
  return wishes
end

--- Returns the argument that asks for what a run in a sandbox was refused; nil when there is none.
---
--- Example: `wishes.for_refusals { { what = 'network', profile = 'confined' } }` is
--- `allow = ["network"]`
---@param refusals Refusal[]
---@return string?
function M.for_refusals(refusals)
  if refusals[1].profile ~= 'confined' and refusals[1].profile ~= 'build' then
    return nil
  end
  local asked = wishes_of(refusals)
  return #asked > 0 and 'allow = ' .. json.encode(asked) or nil
end

return M
