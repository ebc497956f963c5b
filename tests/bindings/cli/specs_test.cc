// `gibbous test`: what passes, what fails, and that one spec cannot harm another.
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/conversation.h"
#include "tests/support/loop.h"
#include "tests/support/program.h"

using Catch::Matchers::Contains;
using gibbous::Json;
using namespace gibbous::testing;

namespace {

enum ExitCode { kDone = 0, kFailed = 1, kWrongUse = 2 };

constexpr const char* kBegin =
    "local spec = require 'spec'\n"
    "local it, expect, call = spec.it, spec.expect, spec.call\n";

Outcome test_in(const TempDir& directory, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {command_path(), "test"});
  return run_program({.argv = std::move(arguments),
                      .env = {{"XDG_STATE_HOME", directory.path() + "/state"}},
                      .cwd = directory.path()});
}

// The results of specs, by name.
Json results_of(const TempDir& directory, const std::string& specs,
                std::vector<std::string> arguments = {}) {
  directory.write("specs/some_spec.lua", kBegin + specs);
  arguments.emplace_back("--json");
  const Outcome outcome = test_in(directory, std::move(arguments));
  INFO(outcome.out << outcome.err);
  const Json answer = Json::parse(outcome.out);
  CHECK(outcome.status.code == (answer["ok"] == true ? kDone : kFailed));
  Json by_name = Json::object();
  for (const Json& each : answer["specs"]) by_name[each["name"].get<std::string>()] = each;
  return by_name;
}

}  // namespace

TEST_CASE("test runs the specs of the workspace against its own tools") {
  const TempDir directory;
  directory.write(
      "scripts/init.lua",
      "local greet = tool { name = 'greet', description = 'Greets.', permission = 'read',"
      " input = schema.object { name = schema.string {} },"
      " run = function(args) return 'Hello, ' .. args.name end }\n"
      "return { toolsets = { { name = 'own', tools = { greet } } } }");
  directory.write("scripts/greet_spec.lua",
                  std::string(kBegin) +
                      "spec.describe('greet', function()\n"
                      "  it('greets', function()\n"
                      "    expect(call('greet', { name = 'Ada' }).text):to_equal('Hello, Ada')\n"
                      "  end)\n"
                      "  it('shouts', function()\n"
                      "    expect(call('greet', { name = 'Ada' }).text):to_contain('ADA')\n"
                      "  end)\n"
                      "end)\n");
  const Outcome outcome = test_in(directory, {});
  CHECK(outcome.status.code == kFailed);
  CHECK_THAT(outcome.out,
             Contains("1 passed, 1 failed") && Contains("greet shouts") &&
                 Contains("greet_spec.lua:8: expected 'Hello, Ada' to contain 'ADA'") &&
                 Contains("the model read (greet, 10 bytes):\n    Hello, Ada"));
  const Outcome filtered = test_in(directory, {"--filter", "greets"});
  CHECK(filtered.status.code == kDone);
  CHECK_THAT(filtered.out, Contains("ok: 1 passed, 0 failed"));
}

TEST_CASE("a spec that goes wrong fails alone, with its place") {
  const TempDir directory;
  const Json results = results_of(
      directory,
      "it('errs', function() local none return none.x end)\n"
      "it('loops', function() while true do pcall(function() while true do end end) end end)\n"
      "it('waits', function() spec.clock.stop() time.sleep(1) end)\n"
      "it('asserts', function() assert(false, 'not so') end)\n"
      "it('leaves', function() spec.fake('x') call('bg_start', { command = 'x' }) end)\n"
      "it('cleans', function()\n"
      "  expect(call('bg_status').text):to_equal('No background processes.') end)\n",
      {"--timeout", "10"});
  const auto message = [&results](const char* name) {
    return results[name]["message"].get<std::string>();
  };
  CHECK_THAT(message("errs"), Contains("some_spec.lua:3: attempt to index local 'none'"));
  CHECK_THAT(message("loops"), Contains("some_spec.lua:4:") && Contains("time budget"));
  CHECK_THAT(message("waits"), Contains("some_spec.lua:5: it took longer than 10 s"));
  CHECK_THAT(message("asserts"), Contains("some_spec.lua:6: not so"));
  CHECK(results["leaves"]["ok"] == true);
  CHECK(results["cleans"]["ok"] == true);
  CHECK(results["cleans"]["line"] == 8);
}

TEST_CASE("before_each and after_each run around each spec, whatever it does") {
  const TempDir directory;
  const Json results = results_of(
      directory,
      "local seen = {}\n"
      "spec.describe('outer', function()\n"
      "  spec.before_each(function() seen[#seen + 1] = 'outer' end)\n"
      "  spec.after_each(function() seen[#seen + 1] = 'after' end)\n"
      "  spec.describe('inner', function()\n"
      "    spec.before_each(function() seen[#seen + 1] = 'inner' end)\n"
      "    it('fails', function() error('x') end)\n"
      "    it('sees', function()\n"
      "      expect(table.concat(seen, ' ')):to_equal('outer inner after outer inner') end)\n"
      "  end)\n"
      "end)\n");
  CHECK(results["outer inner fails"]["ok"] == false);
  CHECK(results["outer inner sees"]["ok"] == true);
}

TEST_CASE("specs see verdicts, fake runs and a clock that stands still") {
  const TempDir directory;
  const Json results = results_of(
      directory,
      "it('denied', function() expect(call('bg_start', { command = 'rm -rf /' })):to_fail('denied')"
      " end)\n"
      "it('timed', function()\n"
      "  spec.clock.stop()\n"
      "  local fake = spec.fake('serve')\n"
      "  local id = call('bg_start', { command = 'serve --port 1', timeout = 60000 }).data.id\n"
      "  spec.settle()\n"
      "  spec.clock.advance(59999)\n"
      "  expect(run.get(id):info().state):to_equal('running')\n"
      "  spec.clock.advance(1)\n"
      "  expect(run.get(id):info().state):to_equal('timeout')\n"
      "end)\n"
      "it('failed', function()\n"
      "  local fake = spec.fake('build')\n"
      "  local id = call('bg_start', { command = 'build' }).data.id\n"
      "  spec.settle()\n"
      "  fake:print('no\\n', 'stderr')\n"
      "  fake:exit(3)\n"
      "  expect(run.get(id):info().exit_code):to_equal(3)\n"
      "  expect(call('bg_output', { id = id }).text):to_contain('no')\n"
      "end)\n");
  for (const auto& [name, result] : results.items()) {
    INFO(result.dump());
    CHECK(result["ok"] == true);
  }
}

TEST_CASE("test says what it cannot run") {
  const TempDir directory;
  const auto says = [&directory](std::vector<std::string> arguments, int code,
                                 const std::string& what) {
    const Outcome outcome = test_in(directory, std::move(arguments));
    CHECK(outcome.status.code == code);
    CHECK_THAT(outcome.err, Contains(what));
  };
  says({}, kWrongUse, "no file *_spec.lua");
  says({"nowhere"}, kWrongUse, "nowhere: there is no such file");
  directory.write("broken_spec.lua", "local x = = 1\n");
  says({"broken_spec.lua"}, kFailed, "broken_spec.lua:1:");
  directory.write("empty_spec.lua", "return {}\n");
  says({"empty_spec.lua"}, kWrongUse, "no specs");
  directory.write("one_spec.lua", std::string(kBegin) + "it('one', function() end)\n");
  says({"one_spec.lua", "--filter", "two"}, kWrongUse, "no spec's name contains 'two'");
}
