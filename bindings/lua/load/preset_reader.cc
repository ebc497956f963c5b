#include "bindings/lua/load/preset_reader.h"

#include <algorithm>
#include <lua.hpp>
#include <utility>

#include "bindings/lua/check/definition.h"

namespace gibbous::lua {
namespace {

constexpr std::pair<const char*, ErrorPreset> kErrorPresets[] = {
    {"compile_error", ErrorPreset::kCompileError},
    {"test_failure", ErrorPreset::kTestFailure},
    {"stack_trace", ErrorPreset::kStackTrace},
};

class PresetReader {
 public:
  PresetReader(lua_State* state, std::vector<ErrorPattern>* patterns, ScriptError* error)
      : state_(state), patterns_(patterns), error_(error) {}

  // [.., list] -> the same
  bool read(const std::string& name, ErrorPreset preset) {
    const std::size_t room = kMaxErrorPatterns - patterns_->size();
    const Result<std::size_t> count = list_size(state_, name, room);
    if (!count) return fault("preset '" + name + "': " + count.status().message());
    for (std::size_t i = 1; i <= *count; ++i) {
      lua_rawgeti(state_, -1, static_cast<int>(i));  // [.., list, entry]
      const std::string place = "preset '" + name + "'[" + std::to_string(i) + "]";
      const bool good = entry(place, preset);
      lua_pop(state_, 1);
      if (!good) return false;
    }
    return true;
  }

  bool fault(const std::string& message) {
    error_->message = message;
    return false;
  }

 private:
  bool entry(const std::string& place, ErrorPreset preset) {
    if (!lua_istable(state_, -1)) {
      return fault(place + ": expected a table { regex = '...', event = '...' }, got a " +
                   luaL_typename(state_, -1));
    }
    lua_pushliteral(state_, "regex");
    lua_rawget(state_, -2);
    std::size_t size = 0;
    const bool is_text = lua_type(state_, -1) == LUA_TSTRING;
    const std::string type = luaL_typename(state_, -1);
    const char* text = is_text ? lua_tolstring(state_, -1, &size) : "";
    ErrorPattern pattern{preset, std::string(text, size)};
    lua_pop(state_, 1);
    if (!is_text) return fault(place + ".regex: expected a string, got a " + type);
    // The shipped ones are tested when Gibbous is built.
    const auto& shipped = ErrorPatterns::shipped()->all();
    const bool is_known = std::find(shipped.begin(), shipped.end(), pattern) != shipped.end();
    const Status good = is_known ? Status() : check_error_pattern(pattern.regex);
    if (!good) return fault(place + ".regex: " + good.message());
    patterns_->push_back(std::move(pattern));
    return true;
  }

  lua_State* state_;
  std::vector<ErrorPattern>* patterns_;
  ScriptError* error_;
};

}  // namespace

bool read_error_presets(lua_State* state,
                        const std::function<std::string(lua_State*, int)>& file_of_value,
                        std::vector<ErrorPattern>* patterns, ScriptError* error) {
  PresetReader reader(state, patterns, error);
  error->file = file_of_value(state, -1);
  if (!lua_istable(state, -1)) {
    return reader.fault(std::string("watchers.presets: expected a table of presets, got a ") +
                        luaL_typename(state, -1));
  }
  for (const auto& [name, preset] : kErrorPresets) {
    lua_pushstring(state, name);
    lua_rawget(state, -2);  // [presets, list]
    bool good = true;
    if (!lua_isnil(state, -1)) {
      if (const std::string file = file_of_value(state, -1); !file.empty()) error->file = file;
      good = reader.read(name, preset);
    }
    lua_pop(state, 1);
    if (!good) return false;
  }
  error->file.clear();
  return true;
}

}  // namespace gibbous::lua
