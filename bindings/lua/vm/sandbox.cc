// The lists, and the code that applies them. To offer or withhold a name, edit only the lists.
#include "bindings/lua/vm/sandbox.h"

#include <array>
#include <lua.hpp>
#include <string>
#include <string_view>

#include "bindings/lua/vm/state.h"

namespace gibbous::lua {

namespace {

using enum SandboxRule;

constexpr auto kEntries = std::to_array<SandboxEntry>({
    // The libraries themselves.
    {"_G", "_G", kAllowed, "the table of globals; each state has its own"},
    {"_G", "_VERSION", kAllowed, "plain data"},
    {"_G", "string", kAllowed, "filtered below"},
    {"_G", "table", kAllowed, "filtered below"},
    {"_G", "math", kAllowed, "filtered below"},
    {"_G", "bit", kAllowed, "filtered below"},
    {"_G", "coroutine", kDenied, "a yield would reach the wrong resumer; task.spawn is offered"},

    // Base functions that only compute.
    {"_G", "assert", kAllowed, ""},
    {"_G", "error", kAllowed, ""},
    {"_G", "getmetatable", kAllowed, "gives false for strings"},
    {"_G", "ipairs", kAllowed, ""},
    {"_G", "next", kAllowed, ""},
    {"_G", "pairs", kAllowed, ""},
    {"_G", "pcall", kAllowed, "cannot swallow the budget: that error is raised again"},
    {"_G", "rawequal", kAllowed, ""},
    {"_G", "rawget", kAllowed, "there are no read-only proxies to defeat"},
    {"_G", "rawlen", kAllowed, "only in builds with Lua 5.2 names"},
    {"_G", "rawset", kAllowed, "there are no read-only proxies to defeat"},
    {"_G", "select", kAllowed, ""},
    {"_G", "setmetatable", kAllowed, "tables only; __gc of tables is never called"},
    {"_G", "tonumber", kAllowed, ""},
    {"_G", "tostring", kAllowed, "shows addresses: they help only with a memory bug"},
    {"_G", "type", kAllowed, ""},
    {"_G", "unpack", kAllowed, "bounded by LuaJIT to 8000 results"},

    // Base functions that could leave the sandbox.
    {"_G", "collectgarbage", kDenied, "'stop' would defeat the memory cap"},
    {"_G", "dofile", kDenied, "reads files, accepts unverified bytecode"},
    {"_G", "gcinfo", kDenied, "the host manages the memory of the state"},
    {"_G", "getfenv", kDenied, "getfenv(0) reaches the real globals"},
    {"_G", "load", kDenied, "accepts unverified bytecode"},
    {"_G", "loadfile", kDenied, "reads files, accepts unverified bytecode"},
    {"_G", "loadstring", kDenied, "accepts unverified bytecode"},
    {"_G", "module", kDenied, "writes globals"},
    {"_G", "newproxy", kDenied, "a __gc of its own, which no hook can interrupt"},
    {"_G", "print", kDenied, "the host's stdout may be a protocol; log.info is offered"},
    {"_G", "require", kDenied, "LuaJIT's; the generation installs its own"},
    {"_G", "setfenv", kDenied, "setfenv(0, t) replaces the globals of all scripts"},
    {"_G", "xpcall", kReplaced, "LuaJIT's runs the handler with hooks off"},

    {"string", "byte", kAllowed, "bounded by LuaJIT to 8000 results"},
    {"string", "char", kAllowed, ""},
    {"string", "dump", kDenied, "makes bytecode"},
    {"string", "find", kReplaced, "steps are counted"},
    {"string", "format", kReplaced, "may call __tostring: C calls are not nested without end"},
    {"string", "gfind", kDenied, "the old name of gmatch"},
    {"string", "gmatch", kReplaced, "steps are counted"},
    {"string", "gsub", kReplaced, "steps are counted"},
    {"string", "len", kAllowed, ""},
    {"string", "lower", kReplaced, "its size is charged"},
    {"string", "match", kReplaced, "steps are counted"},
    {"string", "rep", kReplaced, "says which limit the result would pass"},
    {"string", "reverse", kReplaced, "its size is charged"},
    {"string", "sub", kAllowed, ""},
    {"string", "upper", kReplaced, "its size is charged"},

    {"table", "concat", kReplaced, "the loop is charged"},
    {"table", "foreach", kDenied, "deprecated since 5.1: pairs"},
    {"table", "foreachi", kDenied, "deprecated since 5.1: ipairs"},
    {"table", "getn", kDenied, "deprecated since 5.1: #"},
    {"table", "insert", kReplaced, "the shift is charged"},
    {"table", "maxn", kDenied, "deprecated, and a loop in C that no hook sees"},
    {"table", "move", kAllowed, "bytecode: hooks see it"},
    {"table", "pack", kAllowed, "only in builds with Lua 5.2 names"},
    {"table", "remove", kAllowed, "bytecode: hooks see it"},
    {"table", "sort", kReplaced, "charged; comparators are not nested without end"},
    {"table", "unpack", kAllowed, "only in builds with Lua 5.2 names"},

    {"math", "abs", kAllowed, ""},
    {"math", "acos", kAllowed, ""},
    {"math", "asin", kAllowed, ""},
    {"math", "atan", kAllowed, ""},
    {"math", "atan2", kAllowed, ""},
    {"math", "ceil", kAllowed, ""},
    {"math", "cos", kAllowed, ""},
    {"math", "cosh", kAllowed, ""},
    {"math", "deg", kAllowed, ""},
    {"math", "exp", kAllowed, ""},
    {"math", "floor", kAllowed, ""},
    {"math", "fmod", kAllowed, ""},
    {"math", "frexp", kAllowed, ""},
    {"math", "huge", kAllowed, ""},
    {"math", "ldexp", kAllowed, ""},
    {"math", "log", kAllowed, ""},
    {"math", "log10", kAllowed, ""},
    {"math", "max", kAllowed, ""},
    {"math", "min", kAllowed, ""},
    {"math", "mod", kDenied, "the old name of fmod"},
    {"math", "modf", kAllowed, ""},
    {"math", "pi", kAllowed, ""},
    {"math", "pow", kAllowed, ""},
    {"math", "rad", kAllowed, ""},
    {"math", "random", kAllowed, "per state, the same sequence in every new state"},
    {"math", "randomseed", kAllowed, "per state"},
    {"math", "sin", kAllowed, ""},
    {"math", "sinh", kAllowed, ""},
    {"math", "sqrt", kAllowed, ""},
    {"math", "tan", kAllowed, ""},
    {"math", "tanh", kAllowed, ""},

    {"bit", "arshift", kAllowed, ""},
    {"bit", "band", kAllowed, ""},
    {"bit", "bnot", kAllowed, ""},
    {"bit", "bor", kAllowed, ""},
    {"bit", "bswap", kAllowed, ""},
    {"bit", "bxor", kAllowed, ""},
    {"bit", "lshift", kAllowed, ""},
    {"bit", "rol", kAllowed, ""},
    {"bit", "ror", kAllowed, ""},
    {"bit", "rshift", kAllowed, ""},
    {"bit", "tobit", kAllowed, ""},
    {"bit", "tohex", kAllowed, "LuaJIT clamps the width to 254"},
});

constexpr auto kLibraries = std::to_array<luaL_Reg>({
    {"", luaopen_base},
    {LUA_TABLIBNAME, luaopen_table},
    {LUA_STRLIBNAME, luaopen_string},
    {LUA_MATHLIBNAME, luaopen_math},
    {LUA_BITLIBNAME, luaopen_bit},
});

// LuaJIT's xpcall calls the handler before the stack is unwound, inside the hook, where no hook
// fires, so a handler that loops would never end. Here LuaJIT's xpcall gets a short C handler, and
// the script's own handler is called after unwinding, with the traceback as a second argument.
// Written in Lua, so that a task may suspend inside.
constexpr std::string_view kXpcall = R"(
local builtin, keep, take, pcall = ...
local function finish(handler, ok, ...)
  if ok then
    return true, ...
  end
  return false, select(2, pcall(handler, take(...)))
end
return function(fn, handler, ...)
  return finish(handler, builtin(fn, keep, ...))
end
)";

// [error] -> { error, traceback }. Hooks are off in here.
int l_keep(lua_State* state) {
  lua_settop(state, 1);
  lua_createtable(state, 2, 0);
  lua_insert(state, 1);
  lua_rawseti(state, 1, 1);
  luaL_traceback(state, state, nullptr, 1);
  lua_rawseti(state, 1, 2);
  lua_pushvalue(state, lua_upvalueindex(1));
  lua_setmetatable(state, 1);
  return 1;
}

// [{ error, traceback }] -> error, traceback. Passes on anything that l_keep did not make (out of
// memory, an error in the handler).
int l_take(lua_State* state) {
  lua_settop(state, 1);
  if (lua_istable(state, 1) && lua_getmetatable(state, 1) != 0) {
    const bool kept = lua_rawequal(state, -1, lua_upvalueindex(1)) != 0;
    lua_settop(state, 1);
    if (kept) {
      lua_rawgeti(state, 1, 1);
      lua_rawgeti(state, 1, 2);
      return 2;
    }
  }
  return 1;
}

// Pushes the replacement of xpcall; pops the builtin on top.
void push_xpcall(lua_State* state) {
  if (luaL_loadbufferx(state, kXpcall.data(), kXpcall.size(), "=xpcall", "t") != 0) {
    lua_error(state);
  }
  lua_insert(state, -2);  // [loader, builtin]
  lua_newtable(state);    // marks what l_keep made
  lua_pushvalue(state, -1);
  lua_pushcclosure(state, l_keep, 1);
  lua_insert(state, -2);
  lua_pushcclosure(state, l_take, 1);
  lua_getglobal(state, "pcall");
  lua_call(state, 4, 1);
}

const luaL_Reg* find_function(const luaL_Reg* list, std::string_view name) {
  for (; list->name != nullptr; ++list) {
    if (name == list->name) return list;
  }
  return nullptr;
}

const luaL_Reg* replacement(std::string_view table, std::string_view name) {
  if (table == "string") return find_function(bounded_string_functions(), name);
  if (table == "table") return find_function(bounded_table_functions(), name);
  return nullptr;
}

// Replaces the library table on top of the stack by a new one with its allowed entries.
void filter_table(lua_State* state, std::string_view table) {
  lua_newtable(state);  // [from, to]
  for (const SandboxEntry& entry : kEntries) {
    if (entry.table != table || entry.rule == kDenied) continue;
    lua_pushlstring(state, entry.name.data(), entry.name.size());
    lua_pushvalue(state, -1);
    lua_rawget(state, -4);  // [from, to, name, value]
    if (entry.rule == kReplaced) {
      if (table == "_G") {
        push_xpcall(state);
      } else if (const luaL_Reg* function = replacement(table, entry.name)) {
        lua_pushcclosure(state, function->func, 1);
      } else {
        luaL_error(state, "no replacement for %s", std::string(entry.name).c_str());
      }
    }
    lua_rawset(state, -3);
  }
  lua_remove(state, -2);
}

constexpr std::string_view kUnnamed = "'?'";

// [..., error] -> raises it. The error of a C function that is called from C has no position and
// names the function '?'.
[[noreturn]] void raise_as(lua_State* state, const char* name) {
  std::size_t size = 0;
  const char* text = lua_type(state, -1) == LUA_TSTRING ? lua_tolstring(state, -1, &size) : nullptr;
  if (text != nullptr && !State::of(state).has_place(std::string_view(text, size))) {
    const std::string_view message(text, size);
    const std::size_t unnamed = message.find(kUnnamed);
    luaL_where(state, 1);
    if (unnamed == std::string_view::npos) {
      lua_pushvalue(state, -2);
    } else {
      lua_pushlstring(state, text, unnamed);
      lua_pushfstring(state, "'%s'", name);
      lua_pushlstring(state, text + unnamed + kUnnamed.size(), size - unnamed - kUnnamed.size());
      lua_concat(state, 3);
    }
    lua_concat(state, 2);
  }
  lua_error(state);
  __builtin_unreachable();
}

}  // namespace

int call_original(lua_State* state, const char* name) {
  const int arguments = lua_gettop(state);
  lua_pushvalue(state, lua_upvalueindex(1));
  lua_insert(state, 1);
  if (lua_pcall(state, arguments, LUA_MULTRET, 0) != 0) raise_as(state, name);
  return lua_gettop(state);
}

std::span<const SandboxEntry> sandbox_entries() {
  return kEntries;
}

void install_sandbox(lua_State* state) {
  for (const luaL_Reg& library : kLibraries) {
    lua_pushcfunction(state, library.func);
    lua_pushstring(state, library.name);
    lua_call(state, 1, 0);
  }
  for (const char* library : {"string", "table", "math", "bit"}) {
    lua_getglobal(state, library);
    filter_table(state, library);
    lua_setglobal(state, library);
  }

  // Methods of strings come from a table that no script can reach: s:find() is the sandbox's,
  // whatever a script does to its `string`.
  lua_pushliteral(state, "");
  lua_getmetatable(state, -1);  // ["", metatable]
  lua_newtable(state);
  lua_getglobal(state, "string");
  for (lua_pushnil(state); lua_next(state, -2) != 0;) {
    lua_pushvalue(state, -2);
    lua_insert(state, -2);
    lua_rawset(state, -5);
  }
  lua_pop(state, 1);
  lua_setfield(state, -2, "__index");
  lua_pushboolean(state, 0);
  lua_setfield(state, -2, "__metatable");
  lua_pop(state, 2);

  // The globals are filtered in place, because the state refers to them there.
  lua_pushvalue(state, LUA_GLOBALSINDEX);
  lua_pushvalue(state, -1);
  filter_table(state, "_G");  // [globals, allowed]
  for (lua_pushnil(state); lua_next(state, -3) != 0;) {
    lua_pop(state, 1);
    lua_pushvalue(state, -1);
    lua_pushvalue(state, -1);
    lua_rawget(state, -4);  // [globals, allowed, key, key, value or nil]
    lua_rawset(state, -5);  // an assignment to a present key: allowed while traversing
  }
  lua_pop(state, 2);

  // The entries that the libraries registered for LuaJIT's own require.
  lua_pushnil(state);
  lua_setfield(state, LUA_REGISTRYINDEX, "_LOADED");
}

}  // namespace gibbous::lua
