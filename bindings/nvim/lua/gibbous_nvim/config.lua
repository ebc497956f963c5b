-- The options: what setup() was given, checked, and the defaults.
-- luacheck: std luajit, globals vim
local M = {}

---@class gibbous_nvim.Config
---@field runtime? gibbous.Options default: { mode = 'auto' } and the current directory as workspace
---@field tools? gibbous.Tool[] tools that Neovim carries out; `run` may use vim.api
---@field up? gibbous_nvim.UpConfig
---@field log? gibbous_nvim.LogConfig
---@field diagnostics? gibbous_nvim.DiagnosticsConfig
---@field statusline? gibbous_nvim.StatuslineConfig
---@field watch? table[] watchers of `:Gibbous start`; default: the presets ready, compile_error,
--- test_failure and stack_trace

---@class gibbous_nvim.UpConfig
---@field file? string default: gibbous.lua of the workspace or, without it, Procfile
---@field mode? string permission mode of the services; default: 'auto'

---@class gibbous_nvim.LogConfig
---@field max_lines? integer that a log buffer keeps, 100 to 1000000; default: 10000
---@field bytes_per_turn? integer that are read at a time, 1024 to 1048576; default: 32768
---@field interval_ms? integer time between two reads, 10 to 10000; default: 50
---@field height? integer lines of the window, 1 to 1000; default: 12

---@class gibbous_nvim.DiagnosticsConfig
---@field enabled? boolean default: true
---@field quickfix? boolean default: true

---@class gibbous_nvim.StatuslineConfig
---@field running? string default: ' running'
---@field failed? string default: ' failed'
---@field ready? string behind the label of a service that is ready; default: '+'
---@field pending? string behind one that is not ready yet; default: '~'
---@field not_ready? string behind one that is not ready in time; default: '!'

local function preset(name)
  return { preset = name }
end

local DEFAULTS = {
  runtime = { mode = 'auto' },
  tools = {},
  up = { mode = 'auto' },
  log = { max_lines = 10000, bytes_per_turn = 32768, interval_ms = 50, height = 12 },
  diagnostics = { enabled = true, quickfix = true },
  statusline = {
    running = ' running', failed = ' failed', ready = '+', pending = '~', not_ready = '!',
  },
  watch = {
    preset 'ready', preset 'compile_error', preset 'test_failure', preset 'stack_trace',
  },
}

local TYPES = { up = { file = 'string', mode = 'string' } }
local RANGES = {
  max_lines = { 100, 1000000 }, bytes_per_turn = { 1024, 1048576 }, interval_ms = { 10, 10000 },
  height = { 1, 1000 },
}

local function wrong(place, expected, got)
  error(('gibbous_nvim.setup: %s: expected %s, got %s'):format(place, expected, tostring(got)), 0)
end

local function check_section(section, given)
  for name, value in pairs(given) do
    local default = DEFAULTS[section][name]
    local kind = TYPES[section] and TYPES[section][name] or default ~= nil and type(default)
    local place = section .. '.' .. tostring(name)
    if not kind then
      error(('gibbous_nvim.setup: %s: there is no such option'):format(place), 0)
    elseif type(value) ~= kind then
      wrong(place, 'a ' .. kind, value)
    end
    local range = RANGES[name]
    if range and (value < range[1] or value > range[2] or value % 1 ~= 0) then
      wrong(place, ('a whole number from %d to %d'):format(range[1], range[2]), value)
    end
  end
end

local function check(given)
  if type(given) ~= 'table' then
    wrong('options', 'a table', given)
  end
  for section, value in pairs(given) do
    if not DEFAULTS[section] then
      error(('gibbous_nvim.setup: there is no option "%s"; there are runtime, tools, up, log, '
        .. 'diagnostics, statusline and watch'):format(tostring(section)), 0)
    elseif type(value) ~= 'table' then
      wrong(section, 'a table', value)
    elseif section ~= 'runtime' and section ~= 'tools' and section ~= 'watch' then
      check_section(section, value)
    end
  end
end

--- The options in force.
---@type gibbous_nvim.Config
M.current = vim.deepcopy(DEFAULTS)

--- Sets the options. Raises an error that names a wrong one, and then changes nothing.
---@param given? gibbous_nvim.Config
function M.set(given)
  given = given or {}
  check(given)
  local made = vim.deepcopy(DEFAULTS)
  for section, value in pairs(given) do
    if section == 'tools' or section == 'watch' then
      made[section] = value
    else
      made[section] = vim.tbl_extend('force', made[section], value)
    end
  end
  M.current = made
end

--- Returns the directory in which runs start.
---@return string
function M.workspace()
  return M.current.runtime.workspace or vim.fn.getcwd()
end

return M
