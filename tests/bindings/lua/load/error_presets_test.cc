// The watcher presets that find errors, as a generation reads them.
#include <memory>
#include <string>

#include "bindings/lua/load/generation.h"
#include "tests/bindings/lua/load/generation_fixture.h"
#include "tests/support/catch.h"

namespace gibbous::lua {
namespace {

using Catch::Matchers::Contains;
using gibbous::testing::Scripts;

TEST_CASE("scripts without presets find errors as the shipped ones do") {
  Scripts scripts;
  const auto generation = scripts.load();
  REQUIRE(generation != nullptr);
  CHECK(generation->error_patterns() == ErrorPatterns::shipped());
}

TEST_CASE("presets of scripts replace the shipped ones, and one that is absent finds nothing") {
  Scripts scripts;
  scripts.script("watchers/presets.lua",
                 "return { test_failure = { { regex = '^BROKEN', event = 'test_failure' } } }");
  const auto generation = scripts.load();
  REQUIRE(generation != nullptr);
  const ErrorPatterns& patterns = *generation->error_patterns();
  CHECK(patterns.find("BROKEN: a") == preset_bit(ErrorPreset::kTestFailure));
  CHECK(patterns.find("not BROKEN") == 0);
  CHECK(patterns.find("a.cc:1:2: error: b") == 0);
}

TEST_CASE("presets may be empty") {
  Scripts scripts;
  scripts.script("watchers/presets.lua", "return { test_failure = {} }");
  const auto generation = scripts.load();
  REQUIRE(generation != nullptr);
  CHECK(generation->error_patterns()->find("FAILED tests/test_a.py") == 0);
}

TEST_CASE("mistakes in a preset name the preset, the entry and the file") {
  struct Mistake {
    const char* list;
    const char* message;
  };
  const auto mistake = GENERATE(values<Mistake>({
      {"{ { regex = '(' } }", "preset 'stack_trace'[1].regex: missing ): ("},
      {"{ { regex = 'a' }, { regex = 5 } }",
       "preset 'stack_trace'[2].regex: expected a string, got a number"},
      {"{ 'a' }", "preset 'stack_trace'[1]: expected a table"},
      {"'a'", "preset 'stack_trace': "},
  }));
  Scripts scripts;
  const std::string file =
      scripts.script("watchers/stack_trace.lua", std::string("return ") + mistake.list);
  scripts.script("watchers/presets.lua", "return { stack_trace = require 'watchers.stack_trace' }");
  const ScriptError error = scripts.error();
  CHECK_THAT(error.message, Contains(mistake.message));
  if (mistake.list[0] == '{') CHECK(error.file == file);
}

TEST_CASE("presets that are no table, and very long ones, are refused") {
  Scripts scripts;
  scripts.script("watchers/presets.lua", "return 5");
  CHECK_THAT(scripts.error().message, Contains("watchers.presets: expected a table"));
  scripts.script("watchers/presets.lua",
                 "return { test_failure = { { regex = ('a'):rep(10000) } } }");
  CHECK_THAT(scripts.error().message, Contains("is longer than 8192 bytes"));
  scripts.script("watchers/presets.lua",
                 "local many = {} for i = 1, 501 do many[i] = { regex = 'a' } end\n"
                 "return { test_failure = many }");
  CHECK_THAT(scripts.error().message, Contains("preset 'test_failure': "));
}

}  // namespace
}  // namespace gibbous::lua
