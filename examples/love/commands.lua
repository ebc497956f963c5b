-- What can be typed into the console. Each command becomes a call of a tool, whose answer comes
-- later, between two frames.
-- luacheck: std luajit, globals love
local json = require 'cjson'
local text = require 'text'

local Commands = {}
Commands.__index = Commands

local WAIT_MS = 10 * 60 * 1000 -- the longest that wait_for takes
local LOG_LINES = 20

local HELP = [[
run CMD         starts a command and shows its output        list        shows all runs
logs RUN        shows the newest lines of a run              clear       empties the console
kill RUN        ends a run with all its children             reload      loads the scripts again
wait RUN        says when a run has ended                    quit        closes the game
call TOOL JSON  calls any tool, as call spawn {"count": 50}  F1          hides the console
allow N, deny N answers what the policy asks                 PgUp, PgDn  scroll]]

--- Makes the commands of a console.
---@param runtime table
---@param console table
---@return table commands
function Commands.new(runtime, console)
  return setmetatable({
    runtime = runtime, console = console, started = 0, asked = 0, asks = {},
  }, Commands)
end

--- Calls a tool and shows its answer.
---@param name string
---@param args table
function Commands:call(name, args)
  local console = self.console
  local function on_done(result, err)
    console:add_lines(result and 'result' or 'error',
      text.shown_lines(result and result.text or tostring(err)))
  end
  -- A wrong argument raises, and this one comes from a player.
  local good, number, err = pcall(self.runtime.call, self.runtime, name, args, nil, on_done)
  if not good then
    on_done(nil, number)
  elseif not number then
    on_done(nil, err)
  end
end

--- Shows a question of the policy. The command that it is about waits for allow or deny.
---@param ask table
---@param answer fun(answer: table)
function Commands:on_ask(ask, answer)
  self.asked = self.asked + 1
  local number = self.asked
  self.asks[number] = { ask = ask, answer = answer }
  local about = ask.command ~= '' and ask.command or ask.tool
  self.console:add('ask', text.shown(('[%d] %s? %s'):format(number, about, ask.reason)))
  self.console:add('ask', ('[%d] type: allow %d, or deny %d'):format(number, number, number))
end

--- Takes back a question whose call has ended.
---@param ask table
function Commands:on_withdrawn(ask)
  for number, open in pairs(self.asks) do
    if open.ask == ask then
      self.asks[number] = nil
      self.console:add('ask', ('[%d] is no longer asked'):format(number))
    end
  end
end

-- Answers an open question, which is named by its number as it was typed.
local function answer(commands, number, allow)
  local open = commands.asks[tonumber(number)]
  if not open then
    commands.console:add('error', 'there is no open question ' .. text.shown(number))
    return
  end
  commands.asks[tonumber(number)] = nil
  open.answer { allow = allow }
end

-- The commands by name: what each expects after its name, if anything, and what it does.
local KNOWN = {
  run = { 'a shell command', function(commands, rest)
    commands.started = commands.started + 1
    commands:call('bg_start', { command = rest, label = 'r' .. commands.started, timeout = 0 })
  end },
  logs = { 'a run', function(commands, rest)
    commands:call('bg_output', { id = rest, lines = LOG_LINES, since_last_read = false })
  end },
  kill = { 'a run', function(commands, rest)
    commands:call('bg_kill', { id = rest })
  end },
  wait = { 'a run', function(commands, rest)
    commands:call('wait_for', { id = rest, exit = true, timeout = WAIT_MS })
  end },
  call = { 'a tool, and its arguments as a JSON object', function(commands, rest)
    local name, arguments = rest:match '^(%S+)%s*(.*)$'
    local ok, args = pcall(json.decode, arguments == '' and '{}' or arguments)
    if not ok or type(args) ~= 'table' then
      commands.console:add('error', 'call: expected a JSON object after ' .. text.shown(name)
        .. (ok and '' or ': ' .. text.shown(args)))
      return
    end
    commands:call(name, args)
  end },
  allow = { 'the number of a question', function(commands, rest)
    answer(commands, rest, true)
  end },
  deny = { 'the number of a question', function(commands, rest)
    answer(commands, rest, false)
  end },
  list = { nil, function(commands)
    commands:call('bg_status', {})
  end },
  reload = { nil, function(commands)
    local ok, message = commands.runtime:reload()
    commands.console:add_lines(ok and 'result' or 'error',
      ok and 'The scripts were loaded again.' or text.shown_lines(tostring(message)))
  end },
  clear = { nil, function(commands)
    commands.console:clear()
  end },
  help = { nil, function(commands)
    commands.console:add_lines('event', HELP)
  end },
  quit = { nil, function()
    love.event.quit()
  end },
}

--- Carries out a line that was typed. Wrong ones are answered in the console.
---@param line string
function Commands:enter(line)
  local name, rest = line:match '^%s*(%S+)%s*(.-)%s*$'
  local command = KNOWN[name]
  if not command then
    self.console:add('error', ('there is no command %s; help lists them'):format(text.shown(name)))
  elseif command[1] and rest == '' then
    self.console:add('error', ('%s: expected %s after it'):format(name, command[1]))
  else
    command[2](self, rest)
  end
end

return Commands
