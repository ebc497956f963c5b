// The sandbox: its lists cover every name of LuaJIT's libraries, and replaced functions work as
// before.
#include "bindings/lua/vm/sandbox.h"

#include <lua.hpp>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "tests/bindings/lua/vm/state_fixture.h"
#include "tests/support/catch.h"

namespace gibbous::lua {
namespace {

using test::evaluate;
using test::make_state;
using test::run;

using Names = std::set<std::string>;

// Returns the string keys of the table on top of the stack.
Names keys(lua_State* lua) {
  Names names;
  for (lua_pushnil(lua); lua_next(lua, -2) != 0; lua_pop(lua, 1)) {
    if (lua_type(lua, -2) == LUA_TSTRING) names.insert(lua_tostring(lua, -2));
  }
  return names;
}

std::map<std::string, Names> all_names(lua_State* lua) {
  std::map<std::string, Names> names;
  lua_pushvalue(lua, LUA_GLOBALSINDEX);
  names["_G"] = keys(lua);
  lua_pop(lua, 1);
  for (const char* table : {"string", "table", "math", "bit"}) {
    lua_getglobal(lua, table);
    names[table] = keys(lua);
    lua_pop(lua, 1);
  }
  return names;
}

const SandboxEntry* find(const std::string& table, const std::string& name) {
  for (const SandboxEntry& entry : sandbox_entries()) {
    if (entry.table == table && entry.name == name) return &entry;
  }
  return nullptr;
}

TEST_CASE("every name of LuaJIT's safe libraries is in a list") {
  const std::unique_ptr<lua_State, void (*)(lua_State*)> stock(luaL_newstate(), lua_close);
  for (const lua_CFunction open :
       {luaopen_base, luaopen_table, luaopen_string, luaopen_math, luaopen_bit}) {
    lua_pushcfunction(stock.get(), open);
    lua_call(stock.get(), 0, 0);
  }
  for (const auto& [table, names] : all_names(stock.get())) {
    for (const std::string& name : names) {
      INFO(table << "." << name);
      CHECK(find(table, name) != nullptr);
    }
  }
}

TEST_CASE("a state has exactly the functions that the lists allow") {
  auto state = make_state();
  std::map<std::string, Names> names;
  ScriptError error;
  REQUIRE(state->protect(
      {}, [&](lua_State* lua) { names = all_names(lua); }, &error));
  for (const auto& [table, present] : names) {
    for (const std::string& name : present) {
      if (table == "_G" && name == "json") continue;  // ours
      INFO(table << "." << name);
      const SandboxEntry* entry = find(table, name);
      REQUIRE(entry != nullptr);
      CHECK(entry->rule != SandboxRule::kDenied);
    }
  }
  const std::string optional = "only in builds with Lua 5.2 names";
  for (const SandboxEntry& entry : sandbox_entries()) {
    if (entry.rule == SandboxRule::kDenied || entry.reason == optional) continue;
    INFO(entry.table << "." << entry.name);
    CHECK(names[std::string(entry.table)].count(std::string(entry.name)) == 1);
  }
}

TEST_CASE("the error of a denied or replaced name explains why") {
  for (const SandboxEntry& entry : sandbox_entries()) {
    INFO(entry.table << "." << entry.name);
    CHECK((entry.rule == SandboxRule::kAllowed || !entry.reason.empty()));
  }
}

TEST_CASE("the JIT compiler is off and stays off") {
  auto state = make_state();
  CHECK(run(*state, "assert(jit == nil)").text().empty());
  // A compiled loop would run past its budget forever.
  CHECK(run(*state, "local x = 0 for i = 1, 1e18 do x = x + i end", test::kChunk,
            std::chrono::milliseconds(20))
            .code == "budget_exceeded");
}

TEST_CASE("xpcall calls the handler after unwinding, with the traceback as second argument") {
  auto state = make_state();
  CHECK(evaluate(*state,
                 "local function deep()\n"
                 "  local s = error('oops', 0)\n"
                 "  return s\n"
                 "end\n"
                 "local ok, a, b = xpcall(deep, function(e, trace)\n"
                 "  return 'handled ' .. e, trace\n"
                 "end)\n"
                 "assert(b:find('test.lua:2: in function'), b)\n"
                 "return tostring(ok) .. ' ' .. a") == "false handled oops");
  CHECK(evaluate(*state,
                 "return select('#', xpcall(function(...) return ... end, error, 1, nil, nil))") ==
        "4");
  CHECK(evaluate(*state,
                 "return tostring(select(2, xpcall(error, function(e) return e end, nil)))") ==
        "nil");
  CHECK(evaluate(*state,
                 "local t = {} return tostring(select(2, xpcall(error, function(e) return e == t "
                 "end, t)))") == "true");
  CHECK(evaluate(*state,
                 "return select(2, xpcall(error, function(e) error('worse', 0) end, 'bad'))") ==
        "worse");
}

TEST_CASE("a task may suspend inside xpcall and pcall") {
  auto state = make_state();
  lua_State* task = nullptr;
  LuaRef keep;
  ScriptError error;
  REQUIRE(state->protect(
      {},
      [&](lua_State* lua) {
        lua_pushcfunction(lua, [](lua_State* coroutine) { return lua_yield(coroutine, 0); });
        lua_setglobal(lua, "pause");
        task = lua_newthread(lua);
        keep = LuaRef::take(lua);
        REQUIRE(load_chunk(task,
                           "return xpcall(function()\n"
                           "  local ok, v = pcall(function() return pause() + 1 end)\n"
                           "  pause()\n"
                           "  error(v, 0)\n"
                           "end, function(e) return e * 2 end)",
                           test::kChunk));
      },
      &error));
  REQUIRE(lua_resume(task, 0) == LUA_YIELD);
  lua_pushinteger(task, 20);
  REQUIRE(lua_resume(task, 1) == LUA_YIELD);
  REQUIRE(lua_resume(task, 0) == 0);
  CHECK(lua_toboolean(task, -2) == 0);
  CHECK(lua_tointeger(task, -1) == 42);
}

TEST_CASE("the bounded table functions work like LuaJIT's") {
  auto state = make_state();
  CHECK(evaluate(*state, "return table.concat({ 1, 'b', 3 }, '-', 2, 3)") == "b-3");
  CHECK(evaluate(*state,
                 "local t = { 1, 3 }\n"
                 "table.insert(t, 2, 2) table.insert(t, 4)\n"
                 "return table.concat(t, ',')") == "1,2,3,4");
  CHECK(evaluate(*state,
                 "local t = { 3, 1, 2 }\n"
                 "table.sort(t, function(a, b) return a > b end)\n"
                 "return table.concat(t)") == "321");
  CHECK(run(*state, "\ntable.concat({ {} })", "t.lua").text() ==
        "t.lua:2: invalid value (table) at index 1 in table for 'concat'");
  CHECK(
      run(*state, "\ntable.sort({ 1, 'a' })", "t.lua").text().find("t.lua:2: attempt to compare") ==
      0);
  CHECK(run(*state, "table.sort(1)").message ==
        "bad argument #1 to 'sort' (table expected, got number)");
  CHECK(run(*state, "\nlocal t = {}\ntable.insert(t, 1, 2, 3)", "t.lua").line == 3);
}

TEST_CASE("string.format and rep work like LuaJIT's, and their errors name the caller") {
  auto state = make_state();
  CHECK(evaluate(*state, "return ('%5.1f|%q|%s|%x'):format(1.5, 'a\\n', true, 255)") ==
        "  1.5|\"a\\\n\"|true|ff");
  CHECK(
      evaluate(
          *state,
          "return ('%s'):format(setmetatable({}, { __tostring = function() return 'me' end }))") ==
      "me");
  CHECK(evaluate(*state, "return ('ab'):rep(3, '-')") == "ab-ab-ab");
  const ScriptError error = run(*state, "\nlocal s = string.format('%d', 'x')", "f.lua");
  CHECK(error.text() == "f.lua:2: bad argument #2 to 'format' (number expected, got string)");
}

TEST_CASE("random numbers are per state and the same in every new one") {
  auto first = make_state();
  auto second = make_state();
  const std::string a = evaluate(*first, "return math.random(1e9) .. ' ' .. math.random(1e9)");
  CHECK(a == evaluate(*second, "return math.random(1e9) .. ' ' .. math.random(1e9)"));
  CHECK(a != evaluate(*first, "return math.random(1e9) .. ' ' .. math.random(1e9)"));
}

}  // namespace
}  // namespace gibbous::lua
