-- Tools that make another tool, or a prompt, appear and disappear.

-- Returns a function that enables the other one, and disables it the next time.
local function toggle(of, name)
  local enabled = false
  return function()
    enabled = not enabled
    local change = enabled and of.enable or of.disable
    change(name)
    return (enabled and 'Enabled ' or 'Disabled ') .. name
  end
end

local extra = tool {
  name = 'test_changing_tool',
  description = 'Is there at times',
  permission = 'read',
  enabled = false,
  input = schema.object {},
  run = function()
    return 'There'
  end,
}

local tools = tool {
  name = 'test_trigger_tool_change',
  description = 'Changes the list of tools',
  permission = 'read',
  input = schema.object {},
  run = toggle(tool, extra.name),
}

local talk = prompt {
  name = 'test_changing_prompt',
  description = 'Is there at times',
  enabled = false,
  run = function()
    return 'There'
  end,
}

local prompts = tool {
  name = 'test_trigger_prompt_change',
  description = 'Changes the list of prompts',
  permission = 'read',
  input = schema.object {},
  run = toggle(prompt, talk.name),
}

return { name = 'changes', tools = { extra, tools, prompts }, prompts = { talk } }
