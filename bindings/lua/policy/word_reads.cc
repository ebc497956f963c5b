#include "bindings/lua/policy/word_reads.h"

#include <lua.hpp>
#include <string_view>

#include "bindings/lua/vm/value.h"

namespace gibbous::lua {
namespace {

using command::SimpleCommand;

constexpr int kWatchSlots = 8;

// It uses no global, because scripts may have changed those. Lua 5.1 asks a table for no __len, and
// scripts can make no userdata: `attach` gives a new one, or a table, its metatable.
constexpr std::string_view kWatch = R"lua(
local facts, attach = ...
local function watched(list, seen)
  return attach {
    __index = function(_, at)
      if list[at] ~= nil then seen[at] = true end
      return list[at]
    end,
    __len = function() return #list end,
  }
end
local argv, literal, read, asked, watches = facts.argv, facts.literal, {}, {}, {}
facts.argv, facts.literal = watched(argv, read), watched(literal, asked)
for at = 1, #facts.assignments do
  local each = facts.assignments[at]
  if not each.literal then
    local hidden, seen = { value = each.value, literal = false }, {}
    each.value, each.literal = nil, nil
    attach({
      __index = function(_, key)
        if hidden[key] ~= nil then seen[key] = true end
        return hidden[key]
      end,
    }, each)
    local text = each.name .. '=' .. hidden.value
    watches[#watches + 1] = function() return seen.value and not seen.literal and text end
  end
end
return function()
  for at = 1, #argv do
    if not literal[at] and read[at] and not asked[at] then return argv[at] end
  end
  for at = 1, #watches do
    local text = watches[at]()
    if text then return text end
  end
  return ''
end
)lua";

// [metatable, table?] -> [table or userdata]
int l_attach(lua_State* state) {
  lua_settop(state, 2);
  if (lua_isnil(state, 2)) lua_newuserdata(state, 1);
  lua_pushvalue(state, 1);
  lua_setmetatable(state, -2);
  return 1;
}

// Compiled once for a state.
void push_watch(lua_State* state) {
  static const char key = 0;
  lua_pushlightuserdata(state, const_cast<char*>(&key));
  lua_rawget(state, LUA_REGISTRYINDEX);
  if (lua_isfunction(state, -1)) return;
  lua_pop(state, 1);
  if (luaL_loadbuffer(state, kWatch.data(), kWatch.size(), "=words") != 0) lua_error(state);
  lua_pushlightuserdata(state, const_cast<char*>(&key));
  lua_pushvalue(state, -2);
  lua_rawset(state, LUA_REGISTRYINDEX);
}

}  // namespace

std::string first_unknown(const SimpleCommand& command) {
  for (const command::Value& word : command.argv)
    if (!word.literal()) return word.text;
  for (const command::NamedValue& assignment : command.assignments)
    if (!assignment.value.literal()) return assignment.name + "=" + assignment.value.text;
  return "";
}

void watch_words(lua_State* state) {
  luaL_checkstack(state, kWatchSlots, "facts of a command");
  push_watch(state);
  lua_pushvalue(state, -2);
  lua_pushcfunction(state, l_attach);
  lua_call(state, 2, 1);
}

std::string read_unknown(lua_State* state) {
  lua_call(state, 0, 1);
  return std::string(text_at(state, -1));
}

}  // namespace gibbous::lua
