-- Gibbous for LuaJIT: runs, tools and a policy in this process, over the C interface.
--
--     local gibbous = require 'gibbous'
--     local rt = assert(gibbous.new { mode = 'auto' })
--     rt:call('bg_start', { command = 'make' }, nil, function(result, err)
--       print(result and result.text or err)
--     end)
--     while rt:wait(1000) do end
--
-- The library never calls this program: rt:poll() and rt:wait() take its messages, and call the
-- functions that wait for them. gibbous.luv() does that in a luv loop.
-- luacheck: std luajit
local ffi = require 'ffi'

local failure = require 'gibbous.failure'
local host_call = require 'gibbous.host_call'
local json = require 'gibbous.json'
local luv = require 'gibbous.luv'
local native = require 'gibbous.native'
local runtime = require 'gibbous.runtime'

local MAX_ERROR_BYTES = 4096
local LISTS = { 'toolsets', 'tools', 'functions' }

local M = {}

M.list = json.list
M.null = json.null
M.luv = luv.attach

---Members that are not described here are passed on as they are: gibbous.h describes them.
---@class gibbous.Options
---@field mode? string permission mode: default, auto, plan, dangerous, ci, or a team's own
---@field workspace? string where runs start; default: the current directory
---@field state_dir? string default: $XDG_STATE_HOME/gibbous
---@field session? string the session of calls that name none
---@field toolsets? string[] only these are loaded
---@field tools? gibbous.Tool[] tools of this program that are there from the start
---@field functions? gibbous.Function[] functions of this program for scripts
---@field library? string path of libgibbous.so.0; default: that of this installation
---@field on_error? fun(where: string, trace: string) gets the errors that functions of this program
--- raise, such as a tool; default: prints them on stderr, in Neovim notifies the user

local function print_error(where, trace)
  io.stderr:write(('gibbous: %s: %s\n'):format(where, trace))
end

local function notify_error(where, trace)
  local vim = rawget(_G, 'vim')
  vim.schedule(function()
    vim.notify(('gibbous: %s: %s'):format(where, trace), vim.log.levels.ERROR)
  end)
end

-- Returns what the library is told of the tools or functions, and adds them to `known` by name.
local function definitions(options, member, known, members)
  if not options[member] then
    return nil
  end
  failure.check_type(options[member], 'options.' .. member, 'table', 4)
  local told = {}
  for index, each in ipairs(options[member]) do
    told[index] = host_call.definition(each, ('options.%s[%d]'):format(member, index), 4, members)
    known[each.name] = each
  end
  return told
end

-- Returns what the library is told, and the tools and functions by name.
local function split_options(options)
  local told, tools, functions = { inputs = true }, {}, {}
  for member, value in pairs(options) do
    if member ~= 'library' and member ~= 'on_error' then
      told[member] = value
    end
  end
  told.tools = definitions(options, 'tools', tools)
  told.functions = definitions(options, 'functions', functions, host_call.FUNCTION_MEMBERS)
  for _, member in ipairs(LISTS) do
    if type(told[member]) == 'table' then
      told[member] = json.list { unpack(told[member]) }
    end
  end
  return told, tools, functions
end

--- Makes a runtime, which belongs to this thread; takes some 50 ms. Returns nil and an error when
--- that fails: the library is not found, an option is wrong, or the scripts are broken.
---@param options? gibbous.Options
---@return gibbous.Runtime?
---@return gibbous.Error? err library_not_found, create_failed
function M.new(options)
  failure.check_type(options, 'options', 'table?')
  options = options or {}
  failure.check_type(options.library, 'options.library', 'string?')
  failure.check_type(options.on_error, 'options.on_error', 'function?')
  local told, tools, functions = split_options(options)
  local library, problem = native.load(options.library)
  if not library then
    return nil, failure.new('library_not_found', problem)
  end
  local text = json.encode(told, 'options')
  local said = ffi.new('char[?]', MAX_ERROR_BYTES)
  local handle = library.functions.gib_create(text, said, MAX_ERROR_BYTES)
  if handle == nil then
    return nil, failure.new('create_failed', ffi.string(said))
  end
  return runtime.wrap(library, handle, {
    tools = tools,
    functions = functions,
    on_error = options.on_error or (rawget(_G, 'vim') and notify_error or print_error),
  })
end

--- Returns the version of the library, "0.2.0"; nil and an error when it is not found.
---@param path? string of the library, as the option `library`
---@return string?
---@return gibbous.Error? err library_not_found
function M.version(path)
  failure.check_type(path, 'path', 'string?')
  local library, problem = native.load(path)
  if not library then
    return nil, failure.new('library_not_found', problem)
  end
  return ffi.string(library.functions.gib_version())
end

return M
