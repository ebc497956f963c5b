-- The knowledge about programs and paths with which the analyser
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

-- Programs that take commands in what is typed into them, `!ls` for example.
local TAKES_COMMANDS = [[vi vim nvim gvim view vimdiff rvim evim ex nex less more most man info
  zless zmore lesspipe ed red psql pgcli mysql mariadb mycli sqlite3 gdb lldb ipython ipython3 ftp
  sftp lftp tftp telnet mail mailx mutt neomutt dc octave gnuplot ranger nnn lf]]

local function taking_commands(programs)
  for name in TAKES_COMMANDS:gmatch('%S+') do
    local program = { takes_commands = true }
    for key, value in pairs(programs[name] or {}) do
      program[key] = value
    end
    programs[name] = program
  end
  return programs
end

return {
  programs = taking_commands(gather(PROGRAMS)),
  paths = require 'knowledge.paths',
  outputs = require 'knowledge.outputs',
  unheld = require 'knowledge.unheld',
  -- Code that speaks of this removes the directories that it names.
  removing = [[(?i)rm_?tree|rm_?rf|\brm_r\b|rmsync|rimraf|remove_?(?:tree|all|item|dir)]]
    .. [[|delete-directory]],
  reaching = require 'knowledge.reaching',
  -- Options whose values are patterns, whatever the program.
  text = {
    '--exclude', '--exclude-dir', '--exclude-glob', '--exclude-path', '--exclude-pattern',
    '--excludes', '--ignore', '--ignore-dir', '--ignore-glob', '--ignore-pattern', '--ignore-paths',
    '--skip', '--omit', '--hide',
  },
}
