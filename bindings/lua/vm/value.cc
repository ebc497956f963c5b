// Conversion both ways. Reading keeps C++ objects alive, so it only uses calls that do not raise,
// records the problem, and raises when those objects are gone. Writing keeps none.
#include "bindings/lua/vm/value.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <lua.hpp>
#include <string>
#include <string_view>

#include "bindings/lua/vm/budget.h"
#include "bindings/lua/vm/stack_guard.h"
#include "runtime/output/text.h"

namespace gibbous::lua {

namespace {

constexpr double kMaxExactInteger = 9007199254740992.0;  // 2^53
constexpr int kSlotsPerLevel = 4;
constexpr std::size_t kMaxShownKeyBytes = 64;
constexpr std::size_t kStepsPerNode = 8;
constexpr std::size_t kNodesPerLook = 4096;  // at the clock
constexpr std::size_t kBytesPerStep = 4;
constexpr std::size_t kBytesPerLook = std::size_t{1} << 18;
constexpr std::size_t kMaxProblemBytes = 1024;

// Their addresses are the registry keys of the two metatables.
constexpr char kArrayMark = 'a';
constexpr char kObjectMark = 'o';

void* registry_key(const char& mark) {
  return const_cast<char*>(&mark);
}

// Pushes the metatable of marked arrays or objects. Scripts see its name, but cannot reach or
// change it.
void push_mark(lua_State* state, const char& mark) {
  lua_pushlightuserdata(state, registry_key(mark));
  lua_rawget(state, LUA_REGISTRYINDEX);
  if (lua_istable(state, -1)) return;
  lua_pop(state, 1);
  lua_createtable(state, 0, 1);
  lua_pushstring(state, &mark == &kArrayMark ? "json.array" : "json.object");
  lua_setfield(state, -2, "__metatable");
  lua_pushlightuserdata(state, registry_key(mark));
  lua_pushvalue(state, -2);
  lua_rawset(state, LUA_REGISTRYINDEX);
}

int absolute(lua_State* state, int index) {
  return index > 0 || index <= LUA_REGISTRYINDEX ? index : lua_gettop(state) + index + 1;
}

// Lua value -> JSON. No call in here raises: the stack is checked before, and keys and values are
// read as they are.
class Reader {
 public:
  explicit Reader(lua_State* state) : state_(state) {}

  bool read(int index, int depth, Json* to) {
    if (++nodes_ % kNodesPerLook == 0 && Budget::of(state_).is_late()) return fail("too slow");
    if (nodes_ > kMaxValueNodes) return fail("too large: more than 500000 values");
    switch (lua_type(state_, index)) {
      case LUA_TNIL:
        *to = nullptr;
        return true;
      case LUA_TBOOLEAN:
        *to = lua_toboolean(state_, index) != 0;
        return true;
      case LUA_TNUMBER:
        return read_number(lua_tonumber(state_, index), to);
      case LUA_TSTRING:
        return read_string(index, to);
      case LUA_TTABLE:
        return read_table(index, depth, to);
      case LUA_TLIGHTUSERDATA:
        if (lua_touserdata(state_, index) == nullptr) {
          *to = nullptr;
          return true;
        }
        break;
      default:
        break;
    }
    return fail(std::string("a ") + lua_typename(state_, lua_type(state_, index)) +
                " is not a JSON value");
  }

  // For Budget::charge().
  std::size_t steps() const { return nodes_ * kStepsPerNode + bytes_ / kBytesPerStep; }
  // "what.items[3]: the problem"
  std::string problem(const char* what) const { return what + path_ + ": " + problem_; }

 private:
  bool fail(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }

  // Called on the way out, innermost first.
  bool inside(const std::string& step) {
    if (path_.size() + step.size() < kMaxProblemBytes) path_.insert(0, step);
    return false;
  }

  bool read_number(double number, Json* to) {
    if (!std::isfinite(number)) {
      return fail(std::isnan(number) ? "nan is not a JSON value" : "infinity is not a JSON value");
    }
    if (number == std::floor(number) && std::fabs(number) <= kMaxExactInteger) {
      *to = static_cast<std::int64_t>(number);
    } else {
      *to = number;
    }
    return true;
  }

  bool take_bytes(std::size_t bytes) {
    bytes_ += bytes;
    if (bytes_ > kMaxValueBytes) return fail("too large: more than 16 MiB of text");
    if (bytes_ - looked_ < kBytesPerLook) return true;
    looked_ = bytes_;
    return !Budget::of(state_).is_late() || fail("too slow");
  }

  bool read_string(int index, Json* to) {
    std::size_t size = 0;
    const char* text = lua_tolstring(state_, index, &size);
    if (!take_bytes(size)) return false;
    *to = to_utf8(std::string_view(text, size));
    return true;
  }

  bool has_mark(int index, const char& mark) {
    if (lua_getmetatable(state_, index) == 0) return false;
    lua_pushlightuserdata(state_, registry_key(mark));
    lua_rawget(state_, LUA_REGISTRYINDEX);
    const bool same = lua_rawequal(state_, -1, -2) != 0;
    lua_pop(state_, 2);
    return same;
  }

  bool read_table(int index, int depth, Json* to) {
    if (depth >= kMaxValueDepth) return fail("deeper than 64 levels, or holds itself");
    const std::size_t length = lua_objlen(state_, index);
    if (has_mark(index, kArrayMark)) return read_array(index, length, depth, to);
    const bool is_object = has_mark(index, kObjectMark);
    if (length > 0 && !is_object) return read_array(index, length, depth, to);
    return read_object(index, is_object, depth, to);
  }

  bool read_array(int index, std::size_t length, int depth, Json* to) {
    // Length and number of keys are equal only when the keys are 1..n.
    std::size_t keys = 0;
    for (lua_pushnil(state_); lua_next(state_, index) != 0; lua_pop(state_, 1)) {
      if (++keys > length) {
        const bool hole = lua_type(state_, -2) == LUA_TNUMBER;
        const std::string key = shown_key();
        lua_pop(state_, 2);
        return fail(hole ? "a list with holes" : "a list with other keys (" + key + ")");
      }
    }
    if (keys != length) return fail("a list with holes");
    *to = Json::array();
    auto& items = to->get_ref<Json::array_t&>();
    for (std::size_t i = 1; i <= length; ++i) {
      lua_rawgeti(state_, index, static_cast<int>(i));
      items.emplace_back();
      const bool ok = lua_isnil(state_, -1) ? fail("a list with holes")
                                            : read(lua_gettop(state_), depth + 1, &items.back());
      lua_pop(state_, 1);
      if (!ok) return inside("[" + std::to_string(i) + "]");
    }
    return true;
  }

  bool read_object(int index, bool numbers_too, int depth, Json* to) {
    *to = Json::object();
    auto& fields = to->get_ref<Json::object_t&>();
    for (lua_pushnil(state_); lua_next(state_, index) != 0; lua_pop(state_, 1)) {
      std::string key;
      const bool named = read_key(numbers_too, &key);
      if (!named || !take_bytes(key.size()) || !read(lua_gettop(state_), depth + 1, &fields[key])) {
        lua_pop(state_, 2);
        return named ? inside("." + key.substr(0, kMaxShownKeyBytes)) : false;
      }
    }
    return true;
  }

  // The key below the top. lua_tolstring would change a number in place and confuse lua_next.
  bool read_key(bool numbers_too, std::string* key) {
    if (lua_type(state_, -2) == LUA_TSTRING) {
      std::size_t size = 0;
      const char* text = lua_tolstring(state_, -2, &size);
      *key = to_utf8(std::string_view(text, size));
      return true;
    }
    const double number = lua_tonumber(state_, -2);
    if (numbers_too && lua_type(state_, -2) == LUA_TNUMBER && number == std::floor(number) &&
        std::fabs(number) <= kMaxExactInteger) {
      *key = std::to_string(static_cast<std::int64_t>(number));
      return true;
    }
    return fail("the key " + shown_key() + " is neither a string nor part of a list 1..n");
  }

  std::string shown_key() {
    switch (lua_type(state_, -2)) {
      case LUA_TSTRING: {
        std::size_t size = 0;
        const char* text = lua_tolstring(state_, -2, &size);
        return "'" + to_utf8(std::string_view(text, std::min(size, kMaxShownKeyBytes))) + "'";
      }
      case LUA_TNUMBER: {
        std::array<char, 32> text{};
        std::snprintf(text.data(), text.size(), "%.14g", lua_tonumber(state_, -2));
        return text.data();
      }
      default:
        return std::string("of type ") + lua_typename(state_, lua_type(state_, -2));
    }
  }

  lua_State* state_;
  std::size_t nodes_ = 0;
  std::size_t bytes_ = 0;
  std::size_t looked_ = 0;  // bytes at the last look at the clock for them
  std::string path_;
  std::string problem_;
};

// JSON -> Lua value. May raise anywhere; owns no C++ object.
class Writer {
 public:
  explicit Writer(lua_State* state) : state_(state), budget_(Budget::of(state)) {}

  void write(const Json& value, int depth) {
    switch (value.type()) {
      case Json::value_t::null:
      case Json::value_t::discarded:
        push_null(state_);
        return;
      case Json::value_t::boolean:
        lua_pushboolean(state_, *value.get_ptr<const Json::boolean_t*>() ? 1 : 0);
        return;
      case Json::value_t::number_integer:
        lua_pushnumber(state_,
                       static_cast<double>(*value.get_ptr<const Json::number_integer_t*>()));
        return;
      case Json::value_t::number_unsigned:
        lua_pushnumber(state_,
                       static_cast<double>(*value.get_ptr<const Json::number_unsigned_t*>()));
        return;
      case Json::value_t::number_float:
        lua_pushnumber(state_, *value.get_ptr<const Json::number_float_t*>());
        return;
      case Json::value_t::string: {
        const auto& text = *value.get_ptr<const Json::string_t*>();
        lua_pushlstring(state_, text.data(), text.size());
        return;
      }
      case Json::value_t::array:
        write_array(*value.get_ptr<const Json::array_t*>(), depth);
        return;
      case Json::value_t::object:
        write_object(*value.get_ptr<const Json::object_t*>(), depth);
        return;
      case Json::value_t::binary: {
        const auto& bytes = *value.get_ptr<const Json::binary_t*>();
        lua_pushlstring(state_, reinterpret_cast<const char*>(bytes.data()), bytes.size());
        return;
      }
    }
  }

 private:
  void enter(std::size_t size, int depth) {
    if (depth >= kMaxValueDepth) {
      luaL_error(state_, "JSON value is deeper than %d levels", kMaxValueDepth);
    }
    nodes_ += size;
    if (nodes_ > kMaxValueNodes) luaL_error(state_, "JSON value is too large");
    luaL_checkstack(state_, kSlotsPerLevel, "JSON value is too deep");
    budget_.charge(state_, (size + 1) * kStepsPerNode);
  }

  void write_array(const Json::array_t& items, int depth) {
    enter(items.size(), depth);
    lua_createtable(state_, static_cast<int>(items.size()), 0);
    int index = 0;
    for (const Json& item : items) {
      write(item, depth + 1);
      lua_rawseti(state_, -2, ++index);
    }
    push_mark(state_, kArrayMark);
    lua_setmetatable(state_, -2);
  }

  void write_object(const Json::object_t& fields, int depth) {
    enter(fields.size(), depth);
    lua_createtable(state_, 0, static_cast<int>(fields.size()));
    for (const auto& [key, field] : fields) {
      lua_pushlstring(state_, key.data(), key.size());
      write(field, depth + 1);
      lua_rawset(state_, -3);
    }
  }

  lua_State* state_;
  Budget& budget_;
  std::size_t nodes_ = 0;
};

}  // namespace

void push_json(lua_State* state, const Json& value) {
  luaL_checkstack(state, kSlotsPerLevel, "JSON value is too deep");
  const StackGuard guard(state, 1);
  Writer(state).write(value, 0);
  guard.check();
}

Json to_json(lua_State* state, int index, const char* what) {
  const int place = absolute(state, index);
  luaL_checkstack(state, kMaxValueDepth * kSlotsPerLevel, "value is too deep");
  std::size_t steps = 0;
  {
    Json value;
    Reader reader(state);
    const StackGuard guard(state);
    const bool ok = reader.read(place, 0, &value);
    guard.check();
    steps = reader.steps();
    if (ok) {
      Budget::of(state).charge(state, steps);
      return value;
    }
    luaL_where(state, 1);
    const std::string problem = reader.problem(what);
    lua_pushlstring(state, problem.data(), problem.size());
  }
  Budget::of(state).charge(state, steps);  // raises when that was the problem
  lua_concat(state, 2);
  lua_error(state);
  __builtin_unreachable();
}

void push_null(lua_State* state) {
  lua_pushlightuserdata(state, nullptr);
}

bool is_null(lua_State* state, int index) {
  return lua_type(state, index) == LUA_TLIGHTUSERDATA && lua_touserdata(state, index) == nullptr;
}

void mark_array(lua_State* state, int index) {
  const int place = absolute(state, index);
  push_mark(state, kArrayMark);
  lua_setmetatable(state, place);
}

void mark_object(lua_State* state, int index) {
  const int place = absolute(state, index);
  push_mark(state, kObjectMark);
  lua_setmetatable(state, place);
}

std::string_view text_at(lua_State* state, int index) {
  std::size_t size = 0;
  const char* text = lua_tolstring(state, index, &size);
  return {text, size};
}

void set_text(lua_State* state, const char* name, std::string_view text) {
  lua_pushlstring(state, text.data(), text.size());
  lua_setfield(state, -2, name);
}

}  // namespace gibbous::lua
