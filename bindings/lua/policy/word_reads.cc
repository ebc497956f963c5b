#include "bindings/lua/policy/word_reads.h"

#include <lua.hpp>
#include <string_view>

#include "bindings/lua/vm/value.h"

namespace gibbous::lua {
namespace {

using command::SimpleCommand;

constexpr int kWatchSlots = 8;

// Lua 5.1 asks a table for no __len, and scripts can make no userdata: `proxy` gives one its
// metatable.
constexpr std::string_view kWatch = R"lua(
local facts, proxy = ...
local function watched(list, seen)
  return proxy {
    __index = function(_, at)
      if list[at] ~= nil then seen[at] = true end
      return list[at]
    end,
    __len = function() return #list end,
  }
end
local argv, literal, read, asked, watches = facts.argv, facts.literal, {}, {}, {}
facts.argv, facts.literal = watched(argv, read), watched(literal, asked)
for _, each in ipairs(facts.assignments) do
  if not each.literal then
    local hidden, seen = { value = each.value, literal = false }, {}
    each.value, each.literal = nil, nil
    setmetatable(each, {
      __index = function(_, key)
        if hidden[key] ~= nil then seen[key] = true end
        return hidden[key]
      end,
    })
    local text = each.name .. '=' .. hidden.value
    watches[#watches + 1] = function() return seen.value and not seen.literal and text end
  end
end
return function()
  for at, text in ipairs(argv) do
    if not literal[at] and read[at] and not asked[at] then return text end
  end
  for _, watch in ipairs(watches) do
    local text = watch()
    if text then return text end
  end
  return ''
end
)lua";

int l_proxy(lua_State* state) {
  lua_newuserdata(state, 1);
  lua_pushvalue(state, 1);
  lua_setmetatable(state, -2);
  return 1;
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
  if (luaL_loadbuffer(state, kWatch.data(), kWatch.size(), "=words") != 0) lua_error(state);
  lua_pushvalue(state, -2);
  lua_pushcfunction(state, l_proxy);
  lua_call(state, 2, 1);
}

std::string read_unknown(lua_State* state) {
  lua_call(state, 0, 1);
  return std::string(text_at(state, -1));
}

}  // namespace gibbous::lua
