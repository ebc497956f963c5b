// Values into Lua and back, and the table `json`, which uses the conversions.
#include "bindings/lua/vm/value.h"

#include <limits>
#include <lua.hpp>
#include <string>

#include "tests/bindings/lua/vm/state_fixture.h"
#include "tests/support/catch.h"

namespace gibbous::lua {
namespace {

using test::evaluate;
using test::make_state;
using test::run;

Json round_trip(State& state, const Json& value) {
  Json result;
  ScriptError error;
  const bool ok = state.protect(
      {},
      [&](lua_State* lua) {
        const int top = lua_gettop(lua);
        push_json(lua, value);
        REQUIRE(lua_gettop(lua) == top + 1);
        result = to_json(lua, -1);
        REQUIRE(lua_gettop(lua) == top + 1);
      },
      &error);
  INFO(error.text());
  CHECK(ok);
  return result;
}

// Returns the result of `return <expression>` as JSON, or the error.
std::string read(State& state, const std::string& expression, const char* what = "value") {
  std::string result;
  ScriptError error;
  state.protect(
      {},
      [&](lua_State* lua) {
        if (!load_chunk(lua, "return " + expression, test::kChunk)) lua_error(lua);
        lua_call(lua, 0, 1);
        result = to_json(lua, -1, what).dump();
      },
      &error);
  return error.message.empty() ? result : "error: " + error.message;
}

TEST_CASE("JSON values come back unchanged") {
  auto state = make_state();
  for (const char* text :
       {"null", "true", "false", "0", "-1", "42", "9007199254740992", "-9007199254740992", "1.5",
        "1e300", "\"\"", "\"text\"", "\"\\u00e9\\u0000x\"", "[]", "{}", "[[],{},[[]]]",
        "[1,null,3]", "{\"a\":{\"b\":[1,2,{\"c\":null}]},\"empty\":[]}", "[null]"}) {
    const Json value = Json::parse(text);
    CHECK(round_trip(*state, value).dump() == value.dump());
  }
}

TEST_CASE("integers stay integers up to 2^53 and become doubles beyond") {
  auto state = make_state();
  CHECK(round_trip(*state, 9007199254740991LL).is_number_integer());
  CHECK(round_trip(*state, 3.0).is_number_integer());
  CHECK(round_trip(*state, std::numeric_limits<std::int64_t>::max()).is_number_float());
  CHECK(round_trip(*state, std::numeric_limits<std::uint64_t>::max()).is_number_float());
  CHECK(read(*state, "2^53 + 2") == "9.007199254740994e+15");
  CHECK(read(*state, "-0.0") == "0");
}

TEST_CASE("tables become arrays or objects") {
  auto state = make_state();
  CHECK(read(*state, "{}") == "{}");
  CHECK(read(*state, "json.array()") == "[]");
  CHECK(read(*state, "json.object()") == "{}");
  CHECK(read(*state, "{ 1, 'two', { 3 } }") == "[1,\"two\",[3]]");
  CHECK(read(*state, "{ a = 1, b = { c = json.null } }") == "{\"a\":1,\"b\":{\"c\":null}}");
  CHECK(read(*state, "json.object({ 'x' })") == "{\"1\":\"x\"}");
  CHECK(read(*state, "nil") == "null");
}

TEST_CASE("a value that JSON cannot represent is named with its place") {
  auto state = make_state();
  CHECK(read(*state, "print == nil and pcall") == "error: value: a function is not a JSON value");
  CHECK(read(*state, "{ items = { 1, 2, pcall } }", "result") ==
        "error: result.items[3]: a function is not a JSON value");
  CHECK(read(*state, "{ a = { b = 0/0 } }") == "error: value.a.b: nan is not a JSON value");
  CHECK(read(*state, "{ 1/0 }") == "error: value[1]: infinity is not a JSON value");
  CHECK(read(*state, "{ 1, 2, a = 3 }") == "error: value: a list with other keys ('a')");
  CHECK(read(*state, "{ [2] = 1 }") ==
        "error: value: the key 2 is neither a string nor part of a list 1..n");
  CHECK(read(*state, "{ [true] = 1 }") ==
        "error: value: the key of type boolean is neither a string nor part of a list 1..n");
  CHECK(read(*state, "json.array({ a = 1 })") == "error: value: a list with other keys ('a')");
}

TEST_CASE("holes in a list are an error, wherever Lua puts its border") {
  auto state = make_state();
  CHECK(read(*state, "{ 1, nil, 3 }") == "error: value: a list with holes");
  CHECK(read(*state, "{ 1, 2, nil, nil, 5 }") == "error: value: a list with holes");
  CHECK(read(*state, "{ 1, 2, [9] = 9 }") == "error: value: a list with holes");
}

TEST_CASE("depth, cycles, and size are bounded in both directions") {
  auto state = make_state();
  CHECK(read(*state, "(function() local t = {} t.t = t return t end)()")
            .find("deeper than 64 levels, or holds itself") != std::string::npos);
  Json deep = 1;
  for (int level = 0; level < kMaxValueDepth; ++level) deep = Json::array({deep});
  CHECK(round_trip(*state, deep) == deep);
  const Json deeper = Json::array({deep});
  ScriptError error;
  CHECK_FALSE(state->protect(
      {}, [&](lua_State* lua) { push_json(lua, deeper); }, &error));
  CHECK(error.message == "JSON value is deeper than 64 levels");
  CHECK(
      read(*state, "(function() local t = { 1 } for _ = 1, 40 do t = { t, t } end return t end)()")
          .find("too large: more than 500000 values") != std::string::npos);
}

TEST_CASE("text that is not UTF-8 is replaced, in keys too") {
  auto state = make_state();
  CHECK(read(*state, "{ a = 'x\\255y' }") == "{\"a\":\"x\xEF\xBF\xBDy\"}");
  CHECK(read(*state, "{ ['\\255'] = 1 }") == "{\"\xEF\xBF\xBD\":1}");
}

TEST_CASE("the marks belong to the state and cannot be changed by a script") {
  auto state = make_state();
  CHECK(evaluate(*state, "return tostring(getmetatable(json.array()))") == "json.array");
  CHECK(evaluate(*state, "return tostring(getmetatable(json.decode('[1]')))") == "json.array");
  CHECK(run(*state, "setmetatable(json.decode('[]'), {})").message ==
        "cannot change a protected metatable");
}

TEST_CASE("json.encode and json.decode convert values to text and back") {
  auto state = make_state();
  CHECK(evaluate(*state, "return json.encode({ b = 1, a = { true, json.null } })") ==
        "{\"a\":[true,null],\"b\":1}");
  CHECK(evaluate(*state, "return json.encode({ 1 }, { pretty = true })") == "[\n  1\n]");
  CHECK(evaluate(*state, "return json.encode(json.decode(' {\"a\": [1, 2.5, null, []]} '))") ==
        "{\"a\":[1,2.5,null,[]]}");
  CHECK(evaluate(*state, "return tostring(json.decode('null') == json.null)") == "true");
  CHECK(evaluate(*state, "return json.encode('a\"b\\n')") == "\"a\\\"b\\n\"");
}

TEST_CASE("json.decode returns nil and an error for invalid text, and raises without text") {
  auto state = make_state();
  CHECK(evaluate(*state,
                 "local v, e = json.decode('{\"a\": }')\n"
                 "return tostring(v) .. ' ' .. e.code .. ' ' .. e.message")
            .find("nil invalid_json parse error at line 1, column 7:") == 0);
  CHECK(evaluate(*state, "local _, e = json.decode('') return e.code") == "invalid_json");
  CHECK(evaluate(*state, "local _, e = json.decode('\"\\255\"') return e.code") == "invalid_json");
  CHECK(run(*state, "json.decode()").message ==
        "bad argument #1 to 'decode' (string expected, got no value)");
  CHECK(run(*state, "json.encode()").message == "bad argument #1 to 'encode' (value expected)");
  CHECK(run(*state, "json.array(1)").message ==
        "bad argument #1 to 'array' (table expected, got number)");
}

TEST_CASE("errors of json.encode name the line of the call") {
  auto state = make_state();
  const ScriptError error = run(*state, "\n\nlocal text = json.encode({ pcall })", "caller.lua");
  CHECK(error.text() == "caller.lua:3: value[1]: a function is not a JSON value");
}

}  // namespace
}  // namespace gibbous::lua
