// The options of `gibbous test`.
#include <CLI/CLI.hpp>

#include "bindings/cli/option_groups.h"

namespace gibbous::cli {
namespace {

constexpr const char* kTestFooter = R"(
Runs the files PATH and the files *_spec.lua below the directories PATH; without PATH, those below
scripts, specs and tests of the workspace. Their tools are those of the workspace's own scripts and
policies, where it has scripts/init.lua and policies/init.lua, and otherwise the shipped ones. State
is kept in a temporary directory. The default mode is auto. Exits with 1 when a spec fails.

  local spec = require 'spec'
  local describe, it, expect = spec.describe, spec.it, spec.expect
  describe('greet', function()
    it('greets by name', function()
      expect(spec.call('greet', { name = 'Ada' }).text):to_equal('Hello, Ada')
    end)
  end)

Examples:
  gibbous test
  gibbous test scripts/tools/greet_spec.lua --filter 'by name'
  gibbous test specs --toolset lean --mode plan --json)";

constexpr unsigned kMostSeconds = 86'400;

}  // namespace

void add_test_command(CLI::App& app, Options& options) {
  CLI::App& test = add_command(app, options, Command::kTest, "test",
                               "Run specs for tools, watchers and executors.", kTestFooter);
  test.add_option("PATH", options.words, "Spec files, or directories with some");
  test.add_option("--filter", options.filter, "Only specs whose name contains this text")
      ->type_name("TEXT");
  test.add_option("--timeout", options.time_limit_s, "Seconds that a spec may take [30]")
      ->type_name("SECONDS")
      ->check(CLI::Range(1U, kMostSeconds));
  add_common_options(test, options);
}

}  // namespace gibbous::cli
