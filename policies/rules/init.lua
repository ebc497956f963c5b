-- The rules about commands. Of the rules that match, deny counts before ask and ask before allow,
-- whatever their order; of several with the same decision, the first gives the reason. A team's
-- policy removes rules or adds its own: see examples/policy_strict.
local RULES = {
  require 'rules.machine',
  require 'rules.credentials',
  require 'rules.own',
  require 'rules.named',
  require 'rules.agents',
  require 'rules.environment',
  require 'rules.processes',
  require 'rules.downloads',
  require 'rules.privileges',
  require 'rules.system',
  require 'rules.containers',
  require 'rules.clouds',
  require 'rules.git',
  require 'rules.hosting',
  require 'rules.network',
  require 'rules.packages',
  require 'rules.databases',
  require 'rules.files',
  require 'rules.leaving',
  require 'rules.reading',
  require 'rules.known',
}

local all = {}
for _, rules in ipairs(RULES) do
  for _, rule in ipairs(rules) do
    -- These tests look for what stands in a line. What they do not know is asked about where it
    -- counts, by doubts and unknown paths, and not wherever a line has a variable.
    if rule.test then
      rule.unknown = rule.unknown or 'tested'
    end
    all[#all + 1] = rule
  end
end
return all
