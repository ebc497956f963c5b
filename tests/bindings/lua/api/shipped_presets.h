// The presets of scripts/watchers as their files define them, for the tests of their regexes.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/watch/watch_set.h"
#include "tests/bindings/lua/vm/state_fixture.h"
#include "tests/support/watch_differential.h"

namespace gibbous::lua::test {

struct Preset {
  WatchSpec spec;
  std::vector<std::string> match;
  std::vector<std::string> not_match;
};
using Presets = std::map<std::string, std::vector<Preset>>;

inline std::string preset_script(const std::string& module) {
  std::string path = module;
  for (char& byte : path) byte = byte == '.' ? '/' : byte;
  const std::filesystem::path root(std::getenv("GIBBOUS_SOURCE_DIR"));
  std::ifstream file(root / "scripts" / (path + ".lua"), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// require of a module of scripts/, for files that need no more than that.
inline int l_require_preset(lua_State* lua) {
  const std::string module = luaL_checkstring(lua, 1);
  if (!load_chunk(lua, preset_script(module), module)) return lua_error(lua);
  lua_call(lua, 0, 1);
  return 1;
}

inline std::vector<std::string> preset_strings(lua_State* lua, const char* field) {
  std::vector<std::string> texts;
  lua_getfield(lua, -1, field);
  for (int at = 1; lua_istable(lua, -1) && at <= static_cast<int>(lua_objlen(lua, -1)); ++at) {
    lua_rawgeti(lua, -1, at);
    std::size_t size = 0;
    const char* text = lua_tolstring(lua, -1, &size);
    texts.emplace_back(text, size);
    lua_pop(lua, 1);
  }
  lua_pop(lua, 1);
  return texts;
}

inline std::string preset_string(lua_State* lua, const char* field) {
  lua_getfield(lua, -1, field);
  const char* text = lua_tostring(lua, -1);
  std::string value = text == nullptr ? "" : text;
  lua_pop(lua, 1);
  return value;
}

// [.., preset]
inline Preset read_preset(lua_State* lua) {
  Preset preset;
  preset.spec.regex = preset_string(lua, "regex");
  preset.spec.event = preset_string(lua, "event");
  const std::string scope = preset_string(lua, "scope");
  if (scope == "stdout") preset.spec.scope = WatchScope::kStdout;
  if (scope == "stderr") preset.spec.scope = WatchScope::kStderr;
  lua_getfield(lua, -1, "context_after");
  preset.spec.context_after = static_cast<unsigned>(lua_tointeger(lua, -1));
  lua_pop(lua, 1);
  preset.match = preset_strings(lua, "match");
  preset.not_match = preset_strings(lua, "not_match");
  return preset;
}

inline Presets read_presets() {
  const auto state = make_state();
  Presets presets;
  ScriptError error;
  state->protect(
      {},
      [&](lua_State* lua) {
        lua_pushcfunction(lua, l_require_preset);
        lua_setglobal(lua, "require");
        lua_pushcfunction(lua, l_require_preset);
        lua_pushliteral(lua, "watchers.presets");
        lua_call(lua, 1, 1);
        lua_pushnil(lua);
        while (lua_next(lua, -2) != 0) {  // [presets, name, list]
          std::vector<Preset>& list = presets[lua_tostring(lua, -2)];
          for (int at = 1; at <= static_cast<int>(lua_objlen(lua, -1)); ++at) {
            lua_rawgeti(lua, -1, at);
            list.push_back(read_preset(lua));
            lua_pop(lua, 1);
          }
          lua_pop(lua, 1);
        }
        lua_pop(lua, 1);
      },
      &error);
  INFO(error.text());
  REQUIRE_FALSE(presets.empty());
  return presets;
}

inline const Presets& shipped_presets() {
  static const Presets presets = read_presets();
  return presets;
}

inline std::shared_ptr<const WatchPatterns> compile_presets(std::vector<WatchSpec> specs) {
  auto patterns = WatchPatterns::compile(std::move(specs));
  INFO(patterns.status().message());
  REQUIRE(patterns.ok());
  return *patterns;
}

}  // namespace gibbous::lua::test
