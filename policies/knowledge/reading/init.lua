-- What is known to read: of each program everything that may stand in its command line, and nothing
-- else. The rules `reading.*` allow it; an option that is missing here, or abbreviated, is not
-- known to read. An option must not run, load, write, change or connect to anything that its user
-- names. tests/policies holds the lists to the manual pages.
--
-- A key holds names with spaces between them; a key of `subcommands` holds them with commas.
local TABLES = {
  require 'knowledge.reading.text',
  require 'knowledge.reading.search',
  require 'knowledge.reading.shell',
  require 'knowledge.reading.machine',
  require 'knowledge.reading.binaries',
  require 'knowledge.reading.git',
  require 'knowledge.reading.hosting',
  require 'knowledge.reading.packages',
  require 'knowledge.reading.containers',
  require 'knowledge.reading.tools',
}

local function split(subcommands)
  local found = {}
  for names, spec in pairs(subcommands) do
    if names:find(',', 1, true) then
      for name in names:gmatch('%s*([^,]+)') do
        found[name] = spec
      end
    else
      found[names] = spec
    end
  end
  return found
end

local programs = {}
for _, several in ipairs(TABLES) do
  for names, spec in pairs(several) do
    if spec.subcommands then
      spec.subcommands = split(spec.subcommands)
    end
    for name in names:gmatch('%S+') do
      if programs[name] then
        error(('knowledge.reading: there are two tables of the program %s'):format(name), 0)
      end
      programs[name] = spec
    end
  end
end
return programs
