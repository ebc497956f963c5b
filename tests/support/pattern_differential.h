// Compares our pattern functions with LuaJIT's, on the same subject, pattern and replacement: both
// must give the same results, or both must fail. pattern_test.cc (random input) and the fuzzer use
// it. Tests only: the second state is plain LuaJIT, without a sandbox.
#pragma once

#include <algorithm>
#include <lua.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/lua/vm/state.h"

namespace gibbous::lua::test {

// Returns the results of each call as one string. Lua text so that both states run the same.
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
  return show(pcall(find, subject, pattern)),
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
    end))
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
    const std::vector<std::string> theirs = call(stock_.get(), subject, pattern, replacement, init);
    lua_settop(stock_.get(), 1);
    std::vector<std::string> mine;
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
           "\n-- LuaJIT\n" + joined(theirs) + "\n-- ours\n" + joined(mine);
  }

 private:
  // One that gives up (steps, depth) agrees with anything.
  static bool agree(const std::vector<std::string>& mine, const std::vector<std::string>& theirs) {
    constexpr std::string_view kGaveUp = "gave up";
    return std::equal(mine.begin(), mine.end(), theirs.begin(), theirs.end(),
                      [&](const std::string& left, const std::string& right) {
                        return left == right || left == kGaveUp || right == kGaveUp;
                      });
  }
  static std::string joined(const std::vector<std::string>& results) {
    std::string lines;
    for (const std::string& result : results) lines += result + "\n";
    return lines;
  }

  static void load(lua_State* lua) {
    luaL_loadbufferx(lua, kDescribePattern.data(), kDescribePattern.size(), "=differential", "t");
    lua_call(lua, 0, 1);
  }

  // [function] -> [function, its results]
  static std::vector<std::string> call(lua_State* lua, std::string_view subject,
                                       std::string_view pattern, std::string_view replacement,
                                       int init) {
    const int function = lua_gettop(lua);
    lua_pushvalue(lua, function);
    lua_pushlstring(lua, subject.data(), subject.size());
    lua_pushlstring(lua, pattern.data(), pattern.size());
    lua_pushlstring(lua, replacement.data(), replacement.size());
    lua_pushinteger(lua, init);
    lua_call(lua, 4, LUA_MULTRET);
    std::vector<std::string> results;
    for (int at = function + 1; at <= lua_gettop(lua); ++at) {
      std::size_t size = 0;
      const char* text = lua_tolstring(lua, at, &size);
      results.emplace_back(text, size);
    }
    return results;
  }

  std::unique_ptr<lua_State, void (*)(lua_State*)> stock_;
  std::unique_ptr<State> ours_;
  LuaRef ours_ref_;
};

}  // namespace gibbous::lua::test
