// The presets of scripts/watchers: every example is looked at by the engine itself.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "runtime/watch/watch_set.h"
#include "tests/bindings/lua/vm/state_fixture.h"
#include "tests/support/watch_differential.h"

namespace gibbous::lua {
namespace {

struct Preset {
  WatchSpec spec;
  std::vector<std::string> match;
  std::vector<std::string> not_match;
};
using Presets = std::map<std::string, std::vector<Preset>>;

std::string script(const std::string& module) {
  std::string path = module;
  for (char& byte : path) byte = byte == '.' ? '/' : byte;
  const std::filesystem::path root(std::getenv("GIBBOUS_SOURCE_DIR"));
  std::ifstream file(root / "scripts" / (path + ".lua"), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// require of a module of scripts/, for files that need no more than that.
int l_require(lua_State* lua) {
  const std::string module = luaL_checkstring(lua, 1);
  if (!load_chunk(lua, script(module), module)) return lua_error(lua);
  lua_call(lua, 0, 1);
  return 1;
}

std::vector<std::string> strings(lua_State* lua, const char* field) {
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

std::string string_of(lua_State* lua, const char* field) {
  lua_getfield(lua, -1, field);
  const char* text = lua_tostring(lua, -1);
  std::string value = text == nullptr ? "" : text;
  lua_pop(lua, 1);
  return value;
}

// [.., preset]
Preset read_preset(lua_State* lua) {
  Preset preset;
  preset.spec.regex = string_of(lua, "regex");
  preset.spec.event = string_of(lua, "event");
  const std::string scope = string_of(lua, "scope");
  if (scope == "stdout") preset.spec.scope = WatchScope::kStdout;
  if (scope == "stderr") preset.spec.scope = WatchScope::kStderr;
  lua_getfield(lua, -1, "context_after");
  preset.spec.context_after = static_cast<unsigned>(lua_tointeger(lua, -1));
  lua_pop(lua, 1);
  preset.match = strings(lua, "match");
  preset.not_match = strings(lua, "not_match");
  return preset;
}

Presets read_presets() {
  const auto state = test::make_state();
  Presets presets;
  ScriptError error;
  state->protect(
      {},
      [&](lua_State* lua) {
        lua_pushcfunction(lua, l_require);
        lua_setglobal(lua, "require");
        lua_pushcfunction(lua, l_require);
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

const Presets& shipped() {
  static const Presets presets = read_presets();
  return presets;
}

std::shared_ptr<const WatchPatterns> compile(std::vector<WatchSpec> specs) {
  auto patterns = WatchPatterns::compile(std::move(specs));
  INFO(patterns.status().message());
  REQUIRE(patterns.ok());
  return *patterns;
}

enum class Ending { kNewline, kQuiet };

std::vector<WatchMatch> matches_of(const std::shared_ptr<const WatchPatterns>& patterns,
                                   const std::string& line, Ending ending) {
  testing::MatchDesk desk;
  WatchSet set(patterns, &desk);
  for (const WatchStream stream : {WatchStream::kStdout, WatchStream::kStderr}) {
    set.feed(stream, 0, ending == Ending::kNewline ? line + "\n" : line);
    if (ending == Ending::kQuiet) set.flush_partial(stream);
    set.end(stream);
  }
  return desk.matches;
}

TEST_CASE("the presets are those that are promised, each with examples") {
  for (const char* name : {"ready", "compile_error", "test_failure", "stack_trace", "prompt"}) {
    CAPTURE(name);
    REQUIRE(shipped().contains(name));
    for (const Preset& preset : shipped().at(name)) {
      CAPTURE(preset.spec.regex);
      CHECK(preset.spec.event == name);
      CHECK_FALSE(preset.match.empty());
    }
  }
}

TEST_CASE("every preset finds its examples, with and without the end of the line") {
  for (const auto& [name, list] : shipped()) {
    for (const Preset& preset : list) {
      const auto patterns = compile({preset.spec});
      for (const std::string& line : preset.match) {
        CAPTURE(name, preset.spec.regex, line);
        CHECK_FALSE(matches_of(patterns, line, Ending::kNewline).empty());
        CHECK_FALSE(matches_of(patterns, line, Ending::kQuiet).empty());
      }
    }
  }
}

TEST_CASE("no preset of a list finds a near miss of any") {
  for (const auto& [name, list] : shipped()) {
    std::vector<WatchSpec> specs;
    for (const Preset& preset : list) specs.push_back(preset.spec);
    const auto patterns = compile(specs);
    for (const Preset& preset : list) {
      for (const std::string& line : preset.not_match) {
        CAPTURE(name, line);
        for (const Ending ending : {Ending::kNewline, Ending::kQuiet}) {
          for (const WatchMatch& match : matches_of(patterns, line, ending)) {
            FAIL_CHECK("found by " << specs[match.watcher].regex);
          }
        }
      }
    }
  }
}

TEST_CASE("all presets together find what each finds alone") {
  std::vector<WatchSpec> specs;
  for (const auto& [name, list] : shipped()) {
    for (const Preset& preset : list) specs.push_back(preset.spec);
  }
  const auto patterns = compile(specs);
  std::size_t first = 0;
  for (const auto& [name, list] : shipped()) {
    for (std::size_t at = 0; at < list.size(); ++at) {
      for (const std::string& line : list[at].match) {
        CAPTURE(name, line);
        const auto matches = matches_of(patterns, line, Ending::kNewline);
        CHECK(std::any_of(matches.begin(), matches.end(),
                          [&](const WatchMatch& match) { return match.watcher == first + at; }));
      }
    }
    first += list.size();
  }
}

}  // namespace
}  // namespace gibbous::lua
