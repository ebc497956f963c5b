-- The toolset `background`: long-running commands beside the work, and tests and builds in either
-- way.
local SETTINGS = schema.object {
  max_concurrent = schema.integer {
    minimum = 1, maximum = 1000, default = 3,
    description = 'Background processes of one session that run at the same time',
  },
  test_command = schema.string {
    min_length = 1, default = 'make test', description = 'What run_test runs',
  },
  build_command = schema.string {
    min_length = 1, default = 'make', description = 'What run_build runs',
  },
}

local tools = {
  require 'toolsets.background.start', require 'toolsets.background.stop',
  require 'toolsets.background.list', require 'toolsets.background.read',
}
local groups = {
  require 'toolsets.background.wait_tools', require 'toolsets.background.jobs',
}
for _, group in ipairs(groups) do
  for _, each in ipairs(group) do
    tools[#tools + 1] = each
  end
end

return { name = 'background', settings = SETTINGS, tools = tools }
