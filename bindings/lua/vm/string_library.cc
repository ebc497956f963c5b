// string.find, match, gmatch and gsub on top of Matcher, and rep, format, lower, reverse and upper
// with bounds. The sandbox installs them into `string` and into the methods of strings.
#include <algorithm>
#include <cstring>
#include <lua.hpp>
#include <string_view>

#include "bindings/lua/vm/pattern.h"
#include "bindings/lua/vm/sandbox.h"
#include "bindings/lua/vm/state.h"

namespace gibbous::lua {

namespace {

constexpr std::size_t kPlainBytesPerStep = 32;
constexpr std::size_t kChangedBytesPerStep = 8;

std::string_view check_text(lua_State* state, int argument) {
  std::size_t size = 0;
  const char* text = luaL_checklstring(state, argument, &size);
  return {text, size};
}

// Converts the optional position `argument` to an offset into `size` bytes: 1 is the first byte, -1
// the last.
std::size_t offset_argument(lua_State* state, int argument, std::size_t size) {
  const double position = luaL_optnumber(state, argument, 1);
  const auto length = static_cast<double>(size);
  const double offset = position < 0 ? position + length : position - 1;
  if (!(offset > 0)) return 0;
  return offset >= length ? size : static_cast<std::size_t>(offset);
}

int find_plain(lua_State* state, std::string_view subject, std::string_view pattern,
               std::size_t from) {
  Budget::of(state).charge(state, 1 + (subject.size() - from) / kPlainBytesPerStep);
  const void* found = pattern.empty() ? subject.data() + from
                                      : memmem(subject.data() + from, subject.size() - from,
                                               pattern.data(), pattern.size());
  if (found == nullptr) {
    lua_pushnil(state);
    return 1;
  }
  const auto at = static_cast<const char*>(found) - subject.data();
  lua_pushinteger(state, at + 1);
  lua_pushinteger(state, at + static_cast<std::ptrdiff_t>(pattern.size()));
  return 2;
}

// [subject, pattern, init?, plain?]
int find_or_match(lua_State* state, bool find) {
  const std::string_view subject = check_text(state, 1);
  std::string_view pattern = check_text(state, 2);
  const std::size_t from = offset_argument(state, 3, subject.size());
  if (find && (lua_toboolean(state, 4) != 0 || is_plain_pattern(pattern))) {
    return find_plain(state, subject, pattern, from);
  }
  const bool anchored = !pattern.empty() && pattern.front() == '^';
  if (anchored) pattern.remove_prefix(1);
  Matcher matcher(state, subject, pattern);
  const char* at = subject.data() + from;
  do {
    if (!anchored) at = matcher.skip_to_candidate(at);
    if (at == nullptr) break;
    const char* end = matcher.match_at(at);
    if (end != nullptr) {
      if (!find) return matcher.push_captures(at, end, true);
      lua_pushinteger(state, at - subject.data() + 1);
      lua_pushinteger(state, end - subject.data());
      return 2 + matcher.push_captures(at, end, false);
    }
  } while (at++ != matcher.subject_end() && !anchored);
  lua_pushnil(state);
  return 1;
}

int l_string_find(lua_State* state) {
  return find_or_match(state, true);
}

int l_string_match(lua_State* state) {
  return find_or_match(state, false);
}

// Upvalues: subject, pattern, offset of the next search.
int gmatch_next(lua_State* state) {
  const std::string_view subject = check_text(state, lua_upvalueindex(1));
  const std::string_view pattern = check_text(state, lua_upvalueindex(2));
  const auto from = static_cast<std::size_t>(lua_tointeger(state, lua_upvalueindex(3)));
  if (from > subject.size()) return 0;
  Matcher matcher(state, subject, pattern);
  const char* at = subject.data() + from;
  do {
    at = matcher.skip_to_candidate(at);
    if (at == nullptr) break;
    const char* end = matcher.match_at(at);
    if (end != nullptr) {
      // After an empty match the search goes on one character later.
      const auto next = end - subject.data() + (end == at ? 1 : 0);
      lua_pushinteger(state, next);
      lua_replace(state, lua_upvalueindex(3));
      return matcher.push_captures(at, end, true);
    }
  } while (at++ != matcher.subject_end());
  lua_pushinteger(state, static_cast<lua_Integer>(subject.size()) + 1);
  lua_replace(state, lua_upvalueindex(3));
  return 0;
}

int l_string_gmatch(lua_State* state) {
  check_text(state, 1);
  check_text(state, 2);
  lua_settop(state, 2);
  lua_pushinteger(state, 0);
  lua_pushcclosure(state, gmatch_next, 3);
  return 1;
}

// Adds the replacement string with its %0-%9 filled in.
void add_template(Matcher& matcher, luaL_Buffer* buffer, std::string_view text, const char* start,
                  const char* end) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      const std::size_t next = std::min(text.find('%', i), text.size());
      luaL_addlstring(buffer, text.data() + i, next - i);
      i = next - 1;
      continue;
    }
    ++i;
    const char kind = i < text.size() ? text[i] : '\0';
    if (kind < '0' || kind > '9') {
      luaL_addchar(buffer, kind);
    } else if (kind == '0') {
      luaL_addlstring(buffer, start, static_cast<std::size_t>(end - start));
    } else {
      matcher.push_capture(kind - '1', start, end);
      luaL_addvalue(buffer);
    }
  }
}

// Adds the replacement of the match: argument 3 is a string, a table or a function.
void add_replacement(lua_State* state, Matcher& matcher, luaL_Buffer* buffer, const char* start,
                     const char* end) {
  const int kind = lua_type(state, 3);
  if (kind == LUA_TSTRING) {
    std::size_t size = 0;
    const char* text = lua_tolstring(state, 3, &size);
    add_template(matcher, buffer, {text, size}, start, end);
    return;
  }
  if (kind == LUA_TTABLE) {
    matcher.push_capture(0, start, end);
    lua_gettable(state, 3);
  } else {
    lua_pushvalue(state, 3);
    lua_call(state, matcher.push_captures(start, end, true), 1);
  }
  if (lua_toboolean(state, -1) == 0) {  // nil and false keep the match
    lua_pop(state, 1);
    lua_pushlstring(state, start, static_cast<std::size_t>(end - start));
  } else if (lua_isstring(state, -1) == 0) {
    luaL_error(state, "invalid replacement value (a %s)", luaL_typename(state, -1));
  }
  luaL_addvalue(buffer);
}

// [subject, pattern, replacement, most?]
int l_string_gsub(lua_State* state) {
  const std::string_view subject = check_text(state, 1);
  std::string_view pattern = check_text(state, 2);
  switch (lua_type(state, 3)) {
    case LUA_TNUMBER:
      lua_tolstring(state, 3, nullptr);  // becomes a string in its place
      break;
    case LUA_TSTRING:
      break;
    case LUA_TTABLE:
    case LUA_TFUNCTION:
      Budget::of(state).check_c_stack(state);
      break;
    default:
      return luaL_argerror(state, 3, "string/function/table expected");
  }
  const double most = luaL_optnumber(state, 4, static_cast<double>(subject.size()) + 1);
  const bool anchored = !pattern.empty() && pattern.front() == '^';
  if (anchored) pattern.remove_prefix(1);
  Matcher matcher(state, subject, pattern);
  const char* at = subject.data();
  int count = 0;
  luaL_Buffer buffer;
  luaL_buffinit(state, &buffer);
  while (count < most) {
    if (!anchored) {
      const char* candidate = matcher.skip_to_candidate(at);
      if (candidate == nullptr) break;
      luaL_addlstring(&buffer, at, static_cast<std::size_t>(candidate - at));
      at = candidate;
    }
    const char* end = matcher.match_at(at);
    if (end != nullptr) {
      ++count;
      add_replacement(state, matcher, &buffer, at, end);
    }
    if (end != nullptr && end > at) {
      at = end;
    } else if (at != matcher.subject_end()) {
      luaL_addchar(&buffer, *at);
      ++at;
    } else {
      break;
    }
    if (anchored) break;
  }
  luaL_addlstring(&buffer, at, static_cast<std::size_t>(matcher.subject_end() - at));
  luaL_pushresult(&buffer);
  lua_pushinteger(state, count);
  return 2;
}

// [text, n, separator?]
int l_string_rep(lua_State* state) {
  const auto size = static_cast<double>(check_text(state, 1).size());
  const double times = luaL_checknumber(state, 2);
  std::size_t between = 0;
  luaL_optlstring(state, 3, "", &between);
  const double result = times > 0 ? times * size + (times - 1) * static_cast<double>(between) : 0;
  const std::size_t most = State::of(state).memory().limits().single_bytes;
  if (result > static_cast<double>(most)) {
    return luaL_error(state, "string.rep: a result of %f bytes exceeds the limit of %d", result,
                      static_cast<int>(most));
  }
  return call_original(state, "rep");
}

// Few instructions can do much work: a result that exists already is not even allocated.
int change(lua_State* state, const char* name) {
  Budget::of(state).charge(state, 1 + check_text(state, 1).size() / kChangedBytesPerStep);
  return call_original(state, name);
}

int l_string_lower(lua_State* state) {
  return change(state, "lower");
}

int l_string_reverse(lua_State* state) {
  return change(state, "reverse");
}

int l_string_upper(lua_State* state) {
  return change(state, "upper");
}

// May call __tostring of its arguments, which may call it again.
int l_string_format(lua_State* state) {
  for (int argument = lua_gettop(state); argument > 1; --argument) {
    const int type = lua_type(state, argument);
    if (type != LUA_TTABLE && type != LUA_TUSERDATA) continue;
    Budget::of(state).check_c_stack(state);
    break;
  }
  return call_original(state, "format");
}

constexpr luaL_Reg kFunctions[] = {
    {"find", l_string_find}, {"format", l_string_format},   {"gmatch", l_string_gmatch},
    {"gsub", l_string_gsub}, {"lower", l_string_lower},     {"match", l_string_match},
    {"rep", l_string_rep},   {"reverse", l_string_reverse}, {"upper", l_string_upper},
    {nullptr, nullptr},
};

}  // namespace

const luaL_Reg* bounded_string_functions() {
  return kFunctions;
}

}  // namespace gibbous::lua
