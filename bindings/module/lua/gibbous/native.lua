-- The C interface (gibbous.h) over LuaJIT's FFI: its declarations, and where its library lies.
-- luacheck: std luajit
local ffi = require 'ffi'

local M = {}

local LIBRARY = 'libgibbous.so.0'
local ABI_MAJOR = 1 -- the high half of GIB_ABI
local TRIPLETS = { x64 = 'x86_64-linux-gnu', arm64 = 'aarch64-linux-gnu' }
local RTLD_NOW_NODELETE = 0x1002

-- A Lua state declares a struct once, however often this module is loaded.
if not pcall(ffi.typeof, 'gib_message') then
  ffi.cdef [[
    typedef struct gib_runtime gib_runtime;
    typedef struct gib_message {
      size_t size; int32_t kind; int32_t reserved; int64_t call; uint64_t token;
      const char* json; size_t json_size;
    } gib_message;
    typedef struct gib_budget {
      size_t size; uint64_t bytes; uint64_t lua_us; uint64_t wall_us;
    } gib_budget;
    uint32_t gib_abi(void);
    const char* gib_version(void);
    gib_runtime* gib_create(const char* options, char* error, size_t error_size);
    int gib_check(const gib_runtime* runtime);
    const char* gib_error(gib_runtime* runtime);
    int64_t gib_call(gib_runtime* runtime, const char* request);
    int gib_cancel(gib_runtime* runtime, int64_t call);
    int gib_poll(gib_runtime* runtime, const gib_budget* budget);
    int gib_wait(gib_runtime* runtime, int64_t ms);
    int gib_fd(gib_runtime* runtime);
    int64_t gib_next_timeout(gib_runtime* runtime);
    int gib_next(gib_runtime* runtime, gib_message* message);
    int gib_reply(gib_runtime* runtime, uint64_t token, const char* json);
    int gib_progress(gib_runtime* runtime, uint64_t token, const char* json);
    int gib_tool_add(gib_runtime* runtime, const char* tool);
    int gib_tool_remove(gib_runtime* runtime, const char* name);
    int gib_function_add(gib_runtime* runtime, const char* function);
    int gib_function_remove(gib_runtime* runtime, const char* name);
    const char* gib_tools(gib_runtime* runtime, const char* format);
    const char* gib_resources(gib_runtime* runtime);
    const char* gib_prompts(gib_runtime* runtime);
    int64_t gib_runs(gib_runtime* runtime, const char* session);
    int64_t gib_backlog(gib_runtime* runtime, const char* session);
    int64_t gib_read(gib_runtime* runtime, const char* run, int stream, uint64_t* cursor,
                     char* buffer, size_t size, int* ended);
    int gib_reload(gib_runtime* runtime);
    const char* gib_info(gib_runtime* runtime);
    int gib_close(gib_runtime* runtime);
    int gib_hand_over(gib_runtime* runtime);
    int gib_destroy(gib_runtime* runtime);

    typedef struct gib_lua_time { long seconds; long nanoseconds; } gib_lua_time;
    int gib_lua_clock(int clock, gib_lua_time* time) __asm__("clock_gettime");
    void* gib_lua_open(const char* file, int flags) __asm__("dlopen");
  ]]
end

--- What gib_message.kind says.
M.kind = {
  RESULT = 1, PROGRESS = 2, EVENT = 3, ASK = 4, HOST_CALL = 5, CANCELLED = 6, LOG = 7,
  CLOSED_DOWN = 8, RUNS = 10, BACKLOG = 11, INPUT = 12,
}
--- What the functions return when they were not carried out.
M.INVALID, M.FAILED = -4, -6
M.code = {
  [-1] = 'closed', [-2] = 'wrong_thread', [-3] = 'forked', [-4] = 'invalid_arguments',
  [-5] = 'not_found', [-6] = 'failed', [-7] = 'no_memory', [-8] = 'reentrant',
}

-- Returns the install prefix of this file, which lies below PREFIX/share/lua/5.1 or
-- PREFIX/share/nvim/site; nil when it lies elsewhere.
local function own_prefix()
  return debug.getinfo(1, 'S').source:match '^@(.*)/share/.*$'
end

local function exists(path)
  local file = io.open(path, 'rb')
  return file ~= nil and file:close()
end

-- Returns where the library of the installation may be.
local function places()
  local found, prefix = {}, own_prefix()
  if prefix then
    for _, folder in ipairs { 'lib', 'lib/' .. (TRIPLETS[jit.arch] or jit.arch), 'lib64' } do
      found[#found + 1] = ('%s/%s/%s'):format(prefix, folder, LIBRARY)
    end
  end
  return found
end

local loaded = {}

---@class gibbous.Library
---@field functions ffi.namespace* the functions of gibbous.h
---@field path string what was loaded

-- Loads the library at a path, once. Returns nil and a sentence when that fails.
local function open(path)
  if loaded[path] then
    return loaded[path]
  end
  local good, functions = pcall(ffi.load, path)
  if not good then
    return nil, tostring(functions)
  end
  if not pcall(function() return functions.gib_abi end) then
    return nil, path .. ' is not the library of Gibbous'
  end
  local major = math.floor(functions.gib_abi() / 0x10000)
  if major ~= ABI_MAJOR then
    return nil, ('%s has version %d of the C interface; this module needs version %d')
      :format(path, major, ABI_MAJOR)
  end
  -- Never unloaded: a runtime may be collected after this state let go of the library.
  ffi.C.gib_lua_open(path, RTLD_NOW_NODELETE)
  loaded[path] = { functions = functions, path = path }
  return loaded[path]
end

--- Loads the library: `path`, or the one of the installation that this file belongs to, or the
--- system's. Returns nil and a sentence when there is none.
---@param path? string
---@return gibbous.Library?
---@return string? problem
function M.load(path)
  if path ~= nil then
    return open(path)
  end
  local tried = places()
  for _, place in ipairs(tried) do
    if exists(place) then
      return open(place)
    end
  end
  local library, problem = open(LIBRARY)
  if library then
    return library
  end
  local looked = #tried > 0 and (' (looked at %s, too)'):format(table.concat(tried, ', ')) or ''
  return nil, ('%s%s. Install Gibbous, or name its library with the option `library`')
    :format(problem, looked)
end

local time = ffi.new 'gib_lua_time'
local CLOCK_MONOTONIC = 1

--- Returns the microseconds of a clock that never goes back.
---@return number
function M.now_us()
  ffi.C.gib_lua_clock(CLOCK_MONOTONIC, time)
  return tonumber(time.seconds) * 1e6 + tonumber(time.nanoseconds) / 1e3
end

return M
