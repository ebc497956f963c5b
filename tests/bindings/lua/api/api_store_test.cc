// store.*, and its ScriptStore.
#include "bindings/lua/api/script_store.h"

#include "tests/bindings/lua/call/engine_fixture.h"

using gibbous::CallResult;
using gibbous::Json;
using gibbous::lua::ScriptStore;
using gibbous::testing::contains;
using gibbous::testing::World;

TEST_CASE("the store keeps JSON values for the script") {
  World world;
  world.start(
      "define('set', function()\n"
      "  assert(store.set('a', { list = { 1, 2 }, null = json.null }))\n"
      "  assert(store.set('b', false))\n"
      "  assert(store.set('other', 'x'))\n"
      "  return ''\n"
      "end)\n"
      "define('get', function()\n"
      "  local a = store.get('a')\n"
      "  return { data = { n = #a.list, null = a.null == json.null, b = store.get('b'),\n"
      "    none = store.get('none') == nil, keys = store.keys(), some = store.keys('o') } }\n"
      "end)\n"
      "define('delete', function()\n"
      "  return tostring(store.delete('a')) .. tostring(store.delete('a')) .. "
      "tostring(store.get('a'))\n"
      "end)");
  REQUIRE(world.run("set").ok);
  CHECK(Json::parse(world.run("get").data) == Json{{"n", 2},
                                                   {"null", true},
                                                   {"b", false},
                                                   {"none", true},
                                                   {"keys", {"a", "b", "other"}},
                                                   {"some", {"other"}}});
  CHECK(world.run("delete").text == "truefalsenil");
}

TEST_CASE("a script cannot change a stored value, only store a new one") {
  World world;
  world.start(
      "define('alias', function()\n"
      "  local t = { n = 1 }\n"
      "  store.set('t', t)\n"
      "  t.n = 2\n"
      "  store.get('t').n = 3\n"
      "  return tostring(store.get('t').n)\n"
      "end)");
  CHECK(world.run("alias").text == "1");
}

TEST_CASE("wrong use of the store names the argument") {
  World world;
  world.start(
      "define('a', function() store.set(5, 1) end)\n"
      "define('b', function() store.set('', 1) end)\n"
      "define('c', function() store.set('k') end)\n"
      "define('d', function() store.set('k', function() end) end)\n"
      "define('e', function() store.get(('k'):rep(1000)) end)");
  CHECK(contains(world.run("a").message,
                 ":2: bad argument #1 to 'set' (string expected, got number)"));
  CHECK(contains(world.run("b").message, "bad argument #1 to 'set'"));
  CHECK(contains(world.run("c").message, "bad argument #2 to 'set' (expected a value"));
  CHECK(contains(world.run("d").message, "function"));
  CHECK(contains(world.run("e").message, "bad argument #1 to 'get' (the key is too long)"));
}

TEST_CASE("a value that is too large and a full store are run-time errors") {
  World world;
  // Storing four MiB takes long on a busy machine, under the sanitizers.
  world.options.limits.call_lua = std::chrono::seconds{20};
  world.start(
      "define('large', function()\n"
      "  local ok, err = store.set('k', ('x'):rep(300 * 1024))\n"
      "  return tostring(ok) .. ' ' .. err.code\n"
      "end)\n"
      "define('full', function()\n"
      "  for i = 1, 100 do\n"
      "    local ok, err = store.set('k' .. i, ('x'):rep(200 * 1024))\n"
      "    if not ok then return i .. ' ' .. err.code end\n"
      "  end\n"
      "end)");
  CHECK(world.run("large").text == "nil value_too_large");
  const CallResult full = world.run("full");
  INFO(full.message);
  CHECK(full.text == "21 store_full");
}

TEST_CASE("a namespace is counted exactly, with replacements and erasures") {
  gibbous::lua::StoreLimits limits;
  limits.namespace_bytes = 100;
  ScriptStore store(limits);
  const std::string fifty(50, 'x');
  CHECK(store.set("a", "k", fifty).ok());
  CHECK(store.set("a", "k", fifty).ok());
  CHECK_FALSE(store.set("a", "l", fifty).ok());
  CHECK(store.set("b", "k", fifty).ok());
  CHECK(store.erase("a", "k"));
  CHECK(store.set("a", "l", fifty).ok());
  CHECK_FALSE(store.erase("a", "k"));
  CHECK(store.get("a", "k") == nullptr);
  CHECK(*store.get("b", "k") == fifty);
}
