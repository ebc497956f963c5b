// `gibbous up`: which file declares the services, and what its output says.
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/conversation.h"
#include "tests/support/loop.h"
#include "tests/support/program.h"

using Catch::Matchers::Contains;
using namespace gibbous::testing;

namespace {

enum ExitCode { kDone = 0, kFailed = 1, kWrongUse = 2 };

Outcome up(const TempDir& workspace, std::vector<std::string> arguments = {}) {
  const std::string state = workspace.path() + "/state";
  arguments.insert(arguments.begin(), {command_path(), "up"});
  arguments.insert(arguments.end(), {"--state", state});
  return run_program({.argv = std::move(arguments), .env = {}, .cwd = workspace.path()});
}

Outcome trust(const TempDir& workspace, const std::string& file) {
  return run_program({.argv = {command_path(), "trust", "--yes", workspace.path() + "/" + file,
                               "--state", workspace.path() + "/state"},
                      .env = {},
                      .cwd = workspace.path()});
}

}  // namespace

TEST_CASE("a file that up finds is not read before a person trusts its content") {
  const TempDir workspace;
  workspace.write("gibbous.lua", "return { { name = 'new', command = 'echo from Lua' } }");
  const Outcome refused = up(workspace);
  CHECK(refused.status.code == 4);
  CHECK_THAT(refused.err, Contains("gibbous.lua is not trusted") && Contains("gibbous trust"));
  CHECK(refused.out.empty());
  REQUIRE(trust(workspace, "gibbous.lua").status.code == kDone);
  CHECK(up(workspace).status.code == kDone);
  workspace.write("gibbous.lua", "return { { name = 'new', command = 'echo other' } }");
  const Outcome changed = up(workspace);
  CHECK(changed.status.code == 4);
  CHECK_THAT(changed.err, Contains("gibbous.lua is changed"));
  // The person's own word.
  CHECK_THAT(up(workspace, {"gibbous.lua"}).out, Contains("new | other"));
}

TEST_CASE("up without a file takes gibbous.lua, else Procfile") {
  const TempDir workspace;
  workspace.write("Procfile", "old: echo from the Procfile\n");
  REQUIRE(trust(workspace, "Procfile").status.code == kDone);
  const Outcome procfile = up(workspace);
  CHECK(procfile.status.code == kDone);
  CHECK_THAT(procfile.out, Contains("old | from the Procfile"));
  workspace.write("gibbous.lua", "return { { name = 'new', command = 'echo from Lua' } }");
  REQUIRE(trust(workspace, "gibbous.lua").status.code == kDone);
  const Outcome lua = up(workspace);
  CHECK(lua.status.code == kDone);
  CHECK_THAT(lua.out, Contains("new | from Lua") && !Contains("Procfile"));
}

TEST_CASE("up without a file looks in the workspace that is named") {
  const TempDir elsewhere;
  const TempDir workspace;
  workspace.write("Procfile", "web: echo here\n");
  REQUIRE(run_program({.argv = {command_path(), "trust", "--yes", workspace.path() + "/Procfile",
                                "--state", elsewhere.path() + "/state"},
                       .env = {},
                       .cwd = ""})
              .status.code == kDone);
  CHECK_THAT(up(elsewhere, {"--workspace", workspace.path()}).out, Contains("web | here"));
}

TEST_CASE("up names both files when there is neither") {
  const TempDir workspace;
  const Outcome outcome = up(workspace);
  CHECK(outcome.status.code == kWrongUse);
  CHECK(outcome.out.empty());
  CHECK_THAT(outcome.err, Contains("neither gibbous.lua nor Procfile") &&
                              Contains(workspace.path()) && Contains("gibbous up FILE"));
}
