// `gibbous trust` as a person at a terminal meets it.
#include <filesystem>
#include <map>
#include <string>

#include "tests/support/catch.h"
#include "tests/support/conversation.h"
#include "tests/support/loop.h"
#include "tests/support/program.h"
#include "tests/support/terminal_program.h"

using Catch::Matchers::Contains;
using namespace gibbous::testing;

namespace {

enum ExitCode { kDone = 0, kDenied = 3, kNeedsApproval = 4 };
constexpr const char* kQuestion = "[y/N]: ";

class Project {
 public:
  Project() {
    std::filesystem::create_directories(workspace() + "/.gibbous");
    dir_.write("app/.gibbous/config.lua", "return { limits = { max_queued = 5 } }");
  }
  std::string workspace() const { return dir_.path() + "/app"; }
  ProgramSpec trust(const std::string& option = "") const {
    ProgramSpec spec{.argv = {command_path(), "trust", "--state", dir_.path() + "/state"},
                     .env = {{"HOME", dir_.path() + "/home"},
                             {"XDG_CONFIG_HOME", dir_.path() + "/home/.config"},
                             {"XDG_STATE_HOME", dir_.path() + "/home/.local/state"},
                             {"TERM", "dumb"}},
                     .cwd = workspace()};
    spec.argv.push_back(option.empty() ? workspace() : option);
    return spec;
  }
  bool is_trusted() const {
    return run_program(trust("--list")).out.find("/app/.gibbous") != std::string::npos;
  }
  // Shows the question, and answers it.
  ExitStatus answer(const std::string& keys, std::string* shown = nullptr) const {
    TerminalProgram program(trust());
    const std::string text = program.until(kQuestion);
    if (shown != nullptr) *shown = text;
    program.type(keys);
    return program.wait();
  }

 private:
  TempDir dir_;
};

}  // namespace

TEST_CASE("trust shows what would count, and a yes at the terminal trusts just that") {
  const Project project;
  std::string shown;
  CHECK(project.answer("y\r", &shown).code == kDone);
  CHECK_THAT(shown, Contains("config.lua") && Contains("Trust just this content?"));
  CHECK(project.is_trusted());
  // It does not ask about what is trusted.
  CHECK(run_program(project.trust()).status.code == kDone);
}

TEST_CASE("anything but yes at the terminal trusts nothing") {
  const Project project;
  for (const char* keys : {"n\r", "\r", "yep\r"}) {
    CHECK(project.answer(keys).code == kDenied);
    CHECK_FALSE(project.is_trusted());
  }
}

TEST_CASE("trust that is interrupted at the question trusts nothing") {
  const Project project;
  CHECK(project.answer("\x03").code != kDone);
  CHECK_FALSE(project.is_trusted());
  CHECK(run_program(project.trust()).status.code == kNeedsApproval);
}
