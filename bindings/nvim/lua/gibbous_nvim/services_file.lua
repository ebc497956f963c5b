-- Reads the file that declares the services of a workspace: gibbous.lua, or a Procfile.
-- luacheck: std luajit, globals vim
local config = require 'gibbous_nvim.config'

local M = {}

local NAMES = { 'gibbous.lua', 'Procfile' }
local MAX_BYTES = 1024 * 1024
local MAX_STEPS = 1e6 -- instructions of Lua

--- Returns the file to read: `name`, that of the configuration, or the workspace's. Returns nil and
--- a sentence when there is none.
---@param name? string
---@return string?
---@return string? problem
function M.find(name)
  local workspace = config.workspace()
  name = name ~= '' and name or config.current.up.file
  for _, each in ipairs(name and { name } or NAMES) do
    local path = vim.startswith(each, '/') and each or workspace .. '/' .. each
    local facts = vim.loop.fs_stat(path)
    if facts and facts.type == 'file' then
      return path
    end
  end
  if name then
    return nil, ('there is no file %s'):format(name)
  end
  return nil, ('found neither gibbous.lua nor Procfile in %s; write one, or name another file: '
    .. ':Gibbous up FILE'):format(workspace)
end

local function read(path)
  local file, problem = io.open(path, 'rb')
  if not file then
    return nil, problem
  end
  local text = file:read(MAX_BYTES + 1) or ''
  file:close()
  if #text > MAX_BYTES then
    return nil, path .. ': expected at most 1 MiB'
  end
  return text
end

-- Returns what the text of a declaration returns, which sees no globals and no methods of strings,
-- and has a bounded time. Returns nil and a sentence when it fails.
local function evaluate(text, path)
  if text:byte() == 27 then
    return nil, path .. ': expected text'
  end
  local chunk, problem = loadstring(text, '@' .. path)
  if not chunk then
    return nil, problem
  end
  setfenv(chunk, {})
  jit.off(chunk, true) -- the hook is not called in compiled code
  local strings = getmetatable ''
  local methods = strings.__index
  strings.__index = nil
  debug.sethook(function() error(path .. ': takes too long', 0) end, '', MAX_STEPS)
  local good, value = pcall(chunk)
  debug.sethook()
  strings.__index = methods
  if not good then
    return nil, tostring(value)
  elseif type(value) ~= 'table' then
    return nil, path .. ': must return a list of services: return { { name = "web", '
      .. 'command = "npm start" } }'
  end
  return value
end

--- Returns the arguments for the tool `up`, or nil and a sentence.
---@param path string
---@return table?
---@return string? problem
function M.read(path)
  local text, problem = read(path)
  if not text then
    return nil, problem
  elseif not vim.endswith(path, '.lua') then
    return { procfile = text, file = path }
  end
  local services
  services, problem = evaluate(text, path)
  if not services then
    return nil, problem
  end
  return { services = require('gibbous').list(services), file = path }
end

return M
