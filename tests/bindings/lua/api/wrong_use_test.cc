// Wrong use of the API as scripts see it: a table that names the field and acts like a string.
#include "tests/bindings/lua/call/engine_fixture.h"

using gibbous::CallResult;
using gibbous::Json;
using gibbous::testing::contains;
using gibbous::testing::World;

namespace {

// Returns the data of a tool with this body, which gets no arguments.
Json data_of(const std::string& body) {
  World world;
  world.start("define('probe', function()\n" + body + "\nend)");
  const CallResult result = world.run("probe");
  INFO(result.message);
  REQUIRE(result.ok);
  return Json::parse(result.data);
}

Json error_of(const std::string& call) {
  return data_of("local good, err = pcall(function() " + call +
                 " end)\n"
                 "assert(not good and type(err) == 'table')\n"
                 "return { data = { field = err.field, path = err.path, problem = err.problem,\n"
                 "  expected = err.expected, got = err.got, text = tostring(err),\n"
                 "  joined = 'it says: ' .. err, message = err.message } }");
}

TEST_CASE("a raised error of wrong use names the nested field, the expected and the actual value") {
  const Json error = error_of("wait { all = { wait.timer(1), { kind = 'port', port = 70000 } } }");
  CHECK(error["field"] == "all[2].port");
  CHECK(error["path"] == Json({"all", 2, "port"}));
  CHECK(error["expected"] == "a number from 1 to 65535");
  CHECK(error["got"] == "70000");
  CHECK(error["problem"] == "expected a number from 1 to 65535, got 70000");
}

TEST_CASE("a raised error of wrong use still reads like a string with file and line") {
  const Json error = error_of("schema.string { min_length = 'x' }");
  const auto text = error["text"].get<std::string>();
  CHECK(contains(text, ".lua:"));
  CHECK(contains(text, "schema.string: min_length: expected integer from 0"));
  CHECK(error["message"] == text);
  CHECK(error["joined"] == "it says: " + text);
}

TEST_CASE("an unknown field is reported for its table, with the nearest name") {
  const Json error = error_of("wait { any = { wait.timer(1, { mss = 3 }) } }");
  CHECK(error["field"] == "any[1]");
  CHECK(contains(error["problem"].get<std::string>(), "unknown field 'mss'; did you mean 'ms'?"));
  CHECK_FALSE(error.contains("expected"));
}

TEST_CASE("an uncaught error of wrong use is a script error at the script's line") {
  World world;
  world.start("define('probe', function()\n  wait { any = {} }\nend)");
  const CallResult result = world.run("probe");
  CHECK(result.code == "script_error");
  CHECK(contains(result.message, "wait: any: expected a list of conditions"));
  CHECK(contains(result.message, ".lua:"));
}

TEST_CASE("wait.check says which pattern or URL is invalid, and does not wait") {
  const Json data = data_of(
      "local function check(condition)\n"
      "  local good, err = wait.check { wait.timer(600000), condition }\n"
      "  return good or { code = err.code, field = err.field, problem = err.problem }\n"
      "end\n"
      "return { data = { good = check(wait.regex('no-such-run', 'a+')),\n"
      "  regex = check(wait.regex('no-such-run', '(')), url = check(wait.http('ftp://x')) } }");
  CHECK(data["good"] == true);
  CHECK(data["regex"]["code"] == "invalid_arguments");
  CHECK(data["regex"]["field"] == "any[2].pattern");
  CHECK(contains(data["regex"]["problem"].get<std::string>(), "missing )"));
  CHECK(data["url"]["field"] == "any[2].url");
}

TEST_CASE("wait.check raises for options that wait would raise for") {
  CHECK(error_of("wait.check { any = { 3 } }")["field"] == "any[1]");
  CHECK(error_of("wait.check { timeout_ms = -1, any = { wait.timer(1) } }")["field"] ==
        "timeout_ms");
}

TEST_CASE("schema.check accepts a fitting value, and names the owner and the field of another") {
  const Json data = data_of(
      "local shape = schema.object { name = schema.string {}, limits = schema.limits { optional = "
      "true } }\n"
      "local function problem(value)\n"
      "  local good, err = pcall(schema.check, value, shape, 'mode review')\n"
      "  return good and 'good' or tostring(err)\n"
      "end\n"
      "local names = schema.array(schema.string {}, { max_items = 1 })\n"
      "assert(pcall(schema.check, {}, names, 'an empty list'))\n"
      "assert(not pcall(schema.check, { a = 1 }, names, 'a table with names'))\n"
      "return { data = { good = problem { name = 'x', limits = { pids = 3 } },\n"
      "  range = problem { name = 'x', limits = { pids = 0 } },\n"
      "  kind = problem { name = 3 }, missing = problem {}, unknown = problem { nam = 'x' },\n"
      "  limit = problem { name = 'x', limits = { memory_byte = 3 } } } }");
  const auto says = [&](const char* which, const std::string& text) {
    INFO(data[which]);
    return contains(data[which].get<std::string>(), text);
  };
  CHECK(data["good"] == "good");
  CHECK(says("range", "mode review: limits.pids: expected integer from 1 to "));
  CHECK(says("kind", "mode review: name: expected string, got "));
  CHECK(says("missing", "mode review: name: "));
  CHECK(says("unknown", "nam: unknown field; did you mean \"name\"?"));
  CHECK(says("limit", "limits.memory_byte: unknown field; did you mean \"memory_bytes\"?"));
}

}  // namespace
