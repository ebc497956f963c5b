-- Variables that runs without a terminal get unless the call sets them. Programs that write to a
-- pipe keep their output back until it fills a buffer, so that no wait and no watcher sees it.
local M = {}

-- Only those that change when output comes, never what it is.
M.WITHOUT_TERMINAL = {
  PYTHONUNBUFFERED = '1',
}

-- The argument `env` of a tool that starts commands. A secret is named, and known to the run alone.
M.SCHEMA = schema.object({}, {
  additional = schema.one_of { schema.string {}, schema.object { secret = schema.string {} } },
  optional = true, rare = true,
})

--- Returns the variables of a start: what the call sets, and the defaults.
---
--- Example: `local env = environment.of(args.env, args.pty)`
---@param env? table<string, string|SecretReference> what the call sets
---@param pty? boolean|table whether the run has a terminal
---@return table<string, string|SecretReference>?
function M.of(env, pty)
  if pty then
    return env
  end
  local all = {}
  for name, value in pairs(M.WITHOUT_TERMINAL) do
    all[name] = value
  end
  for name, value in pairs(env or {}) do
    all[name] = value
  end
  return all
end

return M
