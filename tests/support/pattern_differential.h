// Compares our pattern functions with LuaJIT's, on the same subject, pattern and replacement: both
// must give the same results, or both must fail. pattern_test.cc (random input) and the fuzzer use
// it. Tests only: the second state is plain LuaJIT, without a sandbox.
#pragma once

#include <algorithm>
#include <lua.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "bindings/lua/vm/state.h"

namespace gibbous::lua::test {

// Returns every result of every function as one string. Lua text so that both states run the same.
inline constexpr std::string_view kDescribePattern = R"lua(
local find, match, gmatch, gsub = string.find, string.match, string.gmatch, string.gsub
local function show(ok, ...)
  if not ok then
    return find(tostring((...)), 'too complex', 1, true) and 'gave up' or 'error'
  end
  local parts = {}
  for i = 1, select('#', ...) do
    parts[i] = type((select(i, ...))) .. ':' .. tostring((select(i, ...)))
  end
  return table.concat(parts, ',')
end
local function all(subject, pattern)
  local parts = {}
  for a, b, c in gmatch(subject, pattern) do
    parts[#parts + 1] = tostring(a) .. '/' .. tostring(b) .. '/' .. tostring(c)
  end
  return table.concat(parts, ' ')
end
return function(subject, pattern, replacement, init)
  local parts = {
    show(pcall(find, subject, pattern)),
    show(pcall(find, subject, pattern, init)),
    show(pcall(find, subject, pattern, init, true)),
    show(pcall(match, subject, pattern)),
    show(pcall(match, subject, pattern, init)),
    show(pcall(all, subject, pattern)),
    show(pcall(gsub, subject, pattern, replacement)),
    show(pcall(gsub, subject, pattern, replacement, 2)),
    show(pcall(gsub, subject, pattern, { a = 'table', b = false, ab = 7 })),
    show(pcall(gsub, subject, pattern, function(a, b)
      if b then
        return tostring(b) .. tostring(a)
      end
      return a ~= 'a' and a
    end)),
  }
  return table.concat(parts, '\n<next>\n')
end
)lua";

class PatternDifferential {
 public:
  PatternDifferential() : stock_(luaL_newstate(), lua_close) {
    luaL_openlibs(stock_.get());
    luaJIT_setmode(stock_.get(), 0, LUAJIT_MODE_ENGINE | LUAJIT_MODE_OFF);
    auto created = State::create({});
    ours_ = std::move(created.value());
    load(stock_.get());
    ScriptError error;
    ours_->protect(
        {},
        [this](lua_State* lua) {
          load(lua);
          ours_ref_ = LuaRef::take(lua);
        },
        &error);
  }

  // Returns "" if both agree. A pattern on which only one gives up (steps, depth) counts as agreed.
  std::string difference(std::string_view subject, std::string_view pattern,
                         std::string_view replacement, int init) {
    const std::string theirs = call(stock_.get(), subject, pattern, replacement, init);
    lua_settop(stock_.get(), 1);
    std::string mine;
    ScriptError error;
    const bool ok = ours_->protect(
        {},
        [&](lua_State* lua) {
          ours_ref_.push(lua);
          mine = call(lua, subject, pattern, replacement, init);
        },
        &error);
    if (!ok) return "ours failed: " + error.text();
    if (agree(mine, theirs)) return "";
    return "subject   <" + std::string(subject) + ">\npattern   <" + std::string(pattern) +
           ">\nreplace   <" + std::string(replacement) + "> init " + std::to_string(init) +
           "\n-- LuaJIT\n" + theirs + "\n-- ours\n" + mine;
  }

 private:
  // Call by call. One that gives up (steps, depth) agrees with anything.
  static bool agree(std::string_view mine, std::string_view theirs) {
    while (!mine.empty() || !theirs.empty()) {
      const std::string_view left = next_of(&mine);
      const std::string_view right = next_of(&theirs);
      if (left != right && left != kGaveUp && right != kGaveUp) return false;
    }
    return true;
  }
  static std::string_view next_of(std::string_view* described) {
    const std::string_view next = described->substr(0, described->find(kNext));
    described->remove_prefix(std::min(next.size() + kNext.size(), described->size()));
    return next;
  }

  static constexpr std::string_view kGaveUp = "gave up";
  static constexpr std::string_view kNext = "\n<next>\n";

  static void load(lua_State* lua) {
    luaL_loadbufferx(lua, kDescribePattern.data(), kDescribePattern.size(), "=differential", "t");
    lua_call(lua, 0, 1);
  }

  // [function] -> its result
  static std::string call(lua_State* lua, std::string_view subject, std::string_view pattern,
                          std::string_view replacement, int init) {
    lua_pushvalue(lua, -1);
    lua_pushlstring(lua, subject.data(), subject.size());
    lua_pushlstring(lua, pattern.data(), pattern.size());
    lua_pushlstring(lua, replacement.data(), replacement.size());
    lua_pushinteger(lua, init);
    lua_call(lua, 4, 1);
    std::size_t size = 0;
    const char* text = lua_tolstring(lua, -1, &size);
    return {text, size};
  }

  std::unique_ptr<lua_State, void (*)(lua_State*)> stock_;
  std::unique_ptr<State> ours_;
  LuaRef ours_ref_;
};

}  // namespace gibbous::lua::test
