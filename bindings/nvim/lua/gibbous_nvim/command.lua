-- The command :Gibbous: its subcommands and their completion.
-- luacheck: std luajit, globals vim
local M = {}

---@class gibbous_nvim.Subcommand
---@field usage string
---@field needs? boolean whether it needs an argument
---@field run fun(argument: string, bang: boolean)
---@field complete? fun(lead: string): string[]

local function plugin()
  return require 'gibbous_nvim'
end

local function run_names()
  return require('gibbous_nvim.runs').names()
end

local function service_names()
  return require('gibbous_nvim.up').names()
end

local function files(lead)
  return vim.fn.getcompletion(lead, 'file')
end

---@type table<string, gibbous_nvim.Subcommand>
local SUBCOMMANDS = {
  start = {
    usage = 'start COMMAND', needs = true,
    run = function(command, bang) plugin().start(command, { show = not bang }) end,
    complete = function(lead) return vim.fn.getcompletion(lead, 'shellcmd') end,
  },
  logs = {
    usage = 'logs [ID]', run = function(name) plugin().logs(name) end, complete = run_names,
  },
  kill = {
    usage = 'kill ID', needs = true, run = function(name) plugin().kill(name) end,
    complete = run_names,
  },
  list = { usage = 'list', run = function() plugin().list() end },
  up = { usage = 'up [FILE]', run = function(file) plugin().up(file) end, complete = files },
  down = { usage = 'down', run = function() plugin().down() end },
  restart = {
    usage = 'restart SERVICE', needs = true, run = function(name) plugin().restart(name) end,
    complete = service_names,
  },
}

local function fail(message)
  vim.notify('Gibbous: ' .. message, vim.log.levels.ERROR)
end

local function names()
  local all = vim.tbl_keys(SUBCOMMANDS)
  table.sort(all)
  return all
end

--- Carries out `:Gibbous LINE`.
---@param line string
---@param bang boolean
function M.run(line, bang)
  local name, argument = line:match '^%s*(%S+)%s*(.-)%s*$'
  local subcommand = SUBCOMMANDS[name or '']
  if not subcommand then
    return fail(('there is no subcommand "%s"; there are %s'):format(name or line,
      table.concat(names(), ', ')))
  elseif subcommand.needs and argument == '' then
    return fail('expected :Gibbous ' .. subcommand.usage)
  end
  local good, problem = pcall(subcommand.run, argument, bang)
  if not good then
    fail(tostring(problem))
  end
end

--- Completes the word before the cursor.
---@param lead string
---@param line string
---@return string[]
function M.complete(lead, line)
  local before = line:match '^%s*%S+%s+(.*)$' or ''
  local name = before:match '^(%S+)%s'
  local found
  if not name then
    found = names()
  elseif SUBCOMMANDS[name] and SUBCOMMANDS[name].complete then
    found = SUBCOMMANDS[name].complete(lead)
  else
    return {}
  end
  return vim.tbl_filter(function(each) return vim.startswith(each, lead) end, found)
end

return M
