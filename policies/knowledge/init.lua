-- The knowledge about programs, variables, languages and paths with which the analyser
-- (runtime/command) reads a command line. A team's policy changes these tables:
-- `knowledge.programs.mytool = { writes = 'operands' }`.
local PROGRAMS = {
  require 'knowledge.archives',
  require 'knowledge.build',
  require 'knowledge.builtins',
  require 'knowledge.clouds',
  require 'knowledge.containers',
  require 'knowledge.databases',
  require 'knowledge.disks',
  require 'knowledge.editors',
  require 'knowledge.files',
  require 'knowledge.git',
  require 'knowledge.interpreters',
  require 'knowledge.network',
  require 'knowledge.packages',
  require 'knowledge.plain',
  require 'knowledge.everyday',
  require 'knowledge.processes',
  require 'knowledge.search',
  require 'knowledge.shells',
  require 'knowledge.system',
  require 'knowledge.text',
  require 'knowledge.tools',
  require 'knowledge.wrappers',
}

-- Merges tables of programs into one; a key can hold several names.
local function gather(tables)
  local programs = {}
  for _, several in ipairs(tables) do
    for names, program in pairs(several) do
      for name in names:gmatch('%S+') do
        if programs[name] then
          error(('knowledge: there are two tables of the program %s'):format(name), 0)
        end
        programs[name] = program
      end
    end
  end
  return programs
end

-- Adds to the programs the commands that they take in typed text.
local function with_typed(programs, typed)
  for names, commands in pairs(typed) do
    for name in names:gmatch('%S+') do
      programs[name] = programs[name] or {}
      programs[name].typed = commands
    end
  end
  return programs
end

return {
  programs = with_typed(gather(PROGRAMS), require 'knowledge.typed'),
  variables = require 'knowledge.variables',
  languages = require 'knowledge.languages',
  paths = require 'knowledge.paths',
  outputs = require 'knowledge.outputs',
  unheld = require 'knowledge.unheld',
  reaching = require 'knowledge.reaching',
  -- Options whose values are patterns, whatever the program.
  text = {
    '--exclude', '--exclude-dir', '--exclude-glob', '--exclude-path', '--exclude-pattern',
    '--excludes', '--ignore', '--ignore-dir', '--ignore-glob', '--ignore-pattern', '--ignore-paths',
    '--skip', '--omit', '--hide',
  },
}
