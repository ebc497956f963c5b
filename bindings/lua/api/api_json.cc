// The table `json`: encode, decode, null, array, object. Text from outside is measured before it is
// parsed, so that neither its depth nor its size can hurt. encode raises for a value that JSON
// cannot represent; decode returns nil, err.
#include <exception>
#include <lua.hpp>
#include <string>
#include <string_view>

#include "bindings/lua/api/api.h"
#include "bindings/lua/vm/budget.h"
#include "bindings/lua/vm/state.h"
#include "bindings/lua/vm/value.h"

namespace gibbous::lua {

namespace {

constexpr std::size_t kBytesPerStep = 4;
constexpr int kPrettyIndent = 2;

// Explains why `text` is too large or too deep to parse; "" when it is not.
std::string_view too_much(std::string_view text) {
  int depth = 0;
  std::size_t nodes = 1;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
      continue;
    }
    if (c == '"') quoted = true;
    if (c == ',' || c == ':') ++nodes;
    if (c == '[' || c == '{') {
      ++nodes;
      if (++depth > kMaxValueDepth) return "JSON text is deeper than 64 levels";
    }
    if (c == ']' || c == '}') --depth;
    if (nodes > kMaxValueNodes) return "JSON text holds more than 1000000 values";
  }
  return {};
}

// Removes nlohmann's "[json.exception.parse_error.101] ".
std::string plain_message(std::string_view what) {
  const std::size_t bracket = what.find("] ");
  if (!what.empty() && what.front() == '[' && bracket != std::string_view::npos) {
    what.remove_prefix(bracket + 2);
  }
  return std::string(what);
}

// Returns true and sets *value, or false and sets *message. Uses no Lua, so the parser's exceptions
// stay inside.
bool parse(std::string_view text, Json* value, std::string* message) {
  *message = too_much(text);
  if (!message->empty()) return false;
  try {
    *value = Json::parse(text);
    return true;
  } catch (const std::exception& exception) {
    *message = plain_message(exception.what());
    return false;
  }
}

// [text] -> value | nil, err
int l_json_decode(lua_State* state) {
  std::size_t size = 0;
  const char* text = luaL_checklstring(state, 1, &size);
  Budget::of(state).charge(state, size / kBytesPerStep);
  Json value;
  std::string message;
  if (!parse({text, size}, &value, &message)) {
    return push_error(state, Status::error("invalid_json", message));
  }
  push_json(state, value);
  return 1;
}

// [value, options?]
int l_json_encode(lua_State* state) {
  luaL_checkany(state, 1);
  bool pretty = false;
  if (!lua_isnoneornil(state, 2)) {
    luaL_checktype(state, 2, LUA_TTABLE);
    lua_getfield(state, 2, "pretty");
    pretty = lua_toboolean(state, -1) != 0;
    lua_pop(state, 1);
  }
  const Json value = to_json(state, 1);
  const std::string text = value.dump(pretty ? kPrettyIndent : -1);
  Budget::of(state).charge(state, text.size() / kBytesPerStep);
  const std::size_t most = State::of(state).memory().limits().single_bytes;
  if (text.size() >= most) {
    return luaL_error(state, "json.encode: a text of %d bytes exceeds the limit of %d",
                      static_cast<int>(text.size()), static_cast<int>(most));
  }
  lua_pushlstring(state, text.data(), text.size());
  return 1;
}

// [table?] -> the table, marked
int l_json_array(lua_State* state) {
  lua_settop(state, 1);
  if (lua_isnil(state, 1)) {
    lua_newtable(state);
    lua_replace(state, 1);
  }
  luaL_checktype(state, 1, LUA_TTABLE);
  mark_array(state, 1);
  return 1;
}

// [table?] -> the table, marked
int l_json_object(lua_State* state) {
  lua_settop(state, 1);
  if (lua_isnil(state, 1)) {
    lua_newtable(state);
    lua_replace(state, 1);
  }
  luaL_checktype(state, 1, LUA_TTABLE);
  mark_object(state, 1);
  return 1;
}

constexpr luaL_Reg kFunctions[] = {
    {"array", l_json_array},   {"decode", l_json_decode}, {"encode", l_json_encode},
    {"object", l_json_object}, {nullptr, nullptr},
};

}  // namespace

void open_json(lua_State* state) {
  lua_newtable(state);
  luaL_setfuncs(state, kFunctions, 0);
  push_null(state);
  lua_setfield(state, -2, "null");
}

}  // namespace gibbous::lua
