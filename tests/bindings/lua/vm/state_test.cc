// State: protected calls and their errors, chunks, references, and the memory cap.
#include "bindings/lua/vm/state.h"

#include <lua.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/bindings/lua/vm/state_fixture.h"
#include "tests/support/catch.h"

namespace gibbous::lua {
namespace {

using test::make_state;
using test::run;

TEST_CASE("a protected call returns results through C++ variables and keeps the stack") {
  auto state = make_state();
  const int top = lua_gettop(state->main());
  double sum = 0;
  ScriptError error;
  REQUIRE(state->protect(
      {},
      [&sum](lua_State* lua) {
        REQUIRE(load_chunk(lua, "return 1 + 2", "sum.lua"));
        lua_call(lua, 0, 1);
        sum = lua_tonumber(lua, -1);
        lua_pushliteral(lua, "left behind");
      },
      &error));
  CHECK(sum == 3);
  CHECK(lua_gettop(state->main()) == top);
}

TEST_CASE("an error names file, line, message and traceback") {
  auto state = make_state();
  const ScriptError error = run(*state, "local t\n\nreturn t.field", "toolsets/bad.lua");
  CHECK(error.code == "script_error");
  CHECK(error.file == "toolsets/bad.lua");
  CHECK(error.line == 3);
  CHECK(error.message == "attempt to index local 't' (a nil value)");
  CHECK(error.text() == "toolsets/bad.lua:3: attempt to index local 't' (a nil value)");
  CHECK(error.traceback.find("stack traceback:") == 0);
  CHECK(error.traceback.find("toolsets/bad.lua:3:") != std::string::npos);
}

TEST_CASE("a path that Lua shortens in its messages is reported in full") {
  auto state = make_state();
  const std::string path = "/" + std::string(100, 'd') + "/scripts/toolsets/long.lua";
  const ScriptError error = run(*state, "\nerror('oops')", path);
  CHECK(error.file == path);
  CHECK(error.line == 2);
  CHECK(error.message == "oops");

  SECTION("in a syntax error too") {
    const ScriptError syntax = run(*state, "\nlocal = 1", path);
    CHECK(syntax.file == path);
    CHECK(syntax.line == 2);
    CHECK(syntax.message.find("expected near '='") != std::string::npos);
  }
}

TEST_CASE("any error value becomes an error") {
  auto state = make_state();
  SECTION("a table with code and message keeps them and is located by its frame") {
    const ScriptError error =
        run(*state,
            "\nlocal function f()\n  error({ code = 'no_such_run', message = 'gone' })\nend\nf()");
    CHECK(error.code == "no_such_run");
    CHECK(error.message == "gone");
    CHECK(error.line == 3);
  }
  SECTION("a table whose __tostring and __index would run is read raw") {
    const ScriptError error =
        run(*state,
            "error(setmetatable({}, { __tostring = function() while true do end "
            "end, __index = function() while true do end end }))");
    CHECK(error.message == "the error value is a table without a message");
  }
  SECTION("nil, booleans, functions and numbers") {
    CHECK(run(*state, "error()").message == "the error value is a nil");
    CHECK(run(*state, "error(false)").message == "the error value is false");
    CHECK(run(*state, "error(error)").message == "the error value is a function");
    CHECK(run(*state, "error(42)").message.find("42") != std::string::npos);
  }
  SECTION("a message that only looks as if it began with a place is kept whole") {
    const ScriptError error = run(*state, "error('connect to host:80: refused', 0)");
    CHECK(error.message == "connect to host:80: refused");
    CHECK(error.file == test::kChunk);
  }
}

TEST_CASE("a standard exception in a C function is a Lua error with its text") {
  auto state = make_state();
  std::string caught;
  ScriptError error;
  const bool ok = state->protect(
      {},
      [&caught](lua_State* lua) {
        lua_pushcfunction(lua, [](lua_State*) -> int { throw std::runtime_error("disk on fire"); });
        lua_setglobal(lua, "burn");
        REQUIRE(load_chunk(lua, "local ok, e = pcall(burn) return e", "burn.lua"));
        lua_call(lua, 0, 1);
        caught = lua_tostring(lua, -1);
        throw std::runtime_error("in the body");
      },
      &error);
  CHECK_FALSE(ok);
  CHECK(caught == "disk on fire");
  CHECK(error.message == "in the body");
}

TEST_CASE("destructors run when a Lua error passes, and the error arrives whole") {
  auto state = make_state();
  struct Counter {
    int* count;
    ~Counter() { ++*count; }
  };
  int destroyed = 0;
  ScriptError error;
  CHECK_FALSE(state->protect(
      {},
      [&destroyed](lua_State* lua) {
        const Counter counter{&destroyed};
        luaL_error(lua, "passing %s", "through");
      },
      &error));
  CHECK(destroyed == 1);
  CHECK(error.message == "passing through");
}

TEST_CASE("protected calls nest, below a running coroutine too") {
  auto state = make_state();
  std::string inner_message;
  double result = 0;
  ScriptError error;
  state->protect(
      {},
      [&](lua_State* lua) {
        lua_pushlightuserdata(lua, &inner_message);
        lua_pushcclosure(
            lua,
            [](lua_State* coroutine) -> int {
              auto* message =
                  static_cast<std::string*>(lua_touserdata(coroutine, lua_upvalueindex(1)));
              ScriptError inner;
              State::of(coroutine).protect(
                  {}, [](lua_State* main) { luaL_error(main, "inner"); }, &inner);
              *message = inner.message;
              lua_pushinteger(coroutine, 20);
              return 1;
            },
            1);
        lua_setglobal(lua, "nest");
        lua_State* coroutine = lua_newthread(lua);
        REQUIRE(load_chunk(coroutine, "local a = 1; local b = nest(); return a + b + 21", "c.lua"));
        REQUIRE(lua_resume(coroutine, 0) == 0);
        result = lua_tonumber(coroutine, -1);
      },
      &error);
  CHECK(inner_message == "inner");
  CHECK(result == 42);
}

TEST_CASE("the error of a dead coroutine comes with its own traceback") {
  auto state = make_state();
  lua_State* coroutine = nullptr;
  LuaRef keep;
  ScriptError error;
  int status = 0;
  REQUIRE(state->protect(
      {},
      [&](lua_State* lua) {
        coroutine = lua_newthread(lua);
        keep = LuaRef::take(lua);
        REQUIRE(
            load_chunk(coroutine, "local function deep()\n  error('here')\nend\ndeep()", "co.lua"));
      },
      &error));
  status = lua_resume(coroutine, 0);
  REQUIRE(status != 0);
  error = state->resume_error(coroutine, status);
  CHECK(error.file == "co.lua");
  CHECK(error.line == 2);
  CHECK(error.message == "here");
  CHECK(error.traceback.find("deep") != std::string::npos);
}

TEST_CASE("only source text is loaded") {
  auto state = make_state();
  ScriptError error;
  bool loaded = true;
  std::string message;
  REQUIRE(state->protect(
      {},
      [&](lua_State* lua) {
        loaded = load_chunk(lua, "\x1bLJ\x02garbage", "evil.lua");
        message = lua_tostring(lua, -1);
      },
      &error));
  CHECK_FALSE(loaded);
  CHECK(message.find("attempt to load chunk with wrong mode") != std::string::npos);
}

TEST_CASE("references keep values, can be moved, and are released") {
  auto state = make_state();
  ScriptError error;
  std::vector<LuaRef> refs;
  REQUIRE(state->protect(
      {},
      [&refs](lua_State* lua) {
        for (int i = 0; i < 100; ++i) {
          lua_pushinteger(lua, i);
          refs.push_back(LuaRef::take(lua));
        }
      },
      &error));
  refs.erase(refs.begin(), refs.begin() + 50);
  REQUIRE(state->protect(
      {},
      [&refs](lua_State* lua) {
        refs.front().push(lua);
        REQUIRE(lua_tointeger(lua, -1) == 50);
        LuaRef().push(lua);
        REQUIRE(lua_isnil(lua, -1));
      },
      &error));
  LuaRef moved = std::move(refs.back());
  CHECK(moved);
  CHECK_FALSE(refs.back());
}

TEST_CASE("memory: a state over its cap fails the call and is usable afterwards") {
  auto state = make_state();
  const ScriptError error = run(*state, "local t = {}\nfor i = 1, 1e9 do\n  t[i] = { i }\nend");
  CHECK(error.code == "memory_exceeded");
  CHECK(error.message.find("limit of") != std::string::npos);
  CHECK(state->memory().used() <= test::kMemoryBytes);
  CHECK(run(*state, "return 1").message.empty());
}

TEST_CASE("memory: one value over the largest single allocation says so") {
  auto state = make_state();
  const ScriptError error = run(*state, "local s = 'x'\nwhile true do\n  s = s .. s\nend");
  CHECK(error.code == "memory_exceeded");
  CHECK(error.message.find("a single value of") == 0);
  CHECK(error.message.find("4 MiB") != std::string::npos);
}

TEST_CASE("memory: garbage near the cap is collected instead of counted") {
  auto state = make_state();
  // 10 MiB live under a cap of 16, then much more garbage than the rest.
  const ScriptError error = run(*state,
                                "local live = {}\n"
                                "for i = 1, 10 do live[i] = ('x'):rep(1048576 - 100) .. i end\n"
                                "for i = 1, 200 do local s = ('y'):rep(1048576 - 200) .. i end\n"
                                "for i = 1, 200000 do local t = { i, i } end",
                                test::kChunk, std::chrono::seconds(30));
  CHECK(error.text().empty());
}

TEST_CASE("two states share nothing") {
  auto first = make_state();
  auto second = make_state();
  CHECK(run(*first, "string.find = nil; math.randomseed(7); _G.shared = 1").message.empty());
  CHECK(run(*second, "assert(string.find); assert(not shared)").message.empty());
}

}  // namespace
}  // namespace gibbous::lua
