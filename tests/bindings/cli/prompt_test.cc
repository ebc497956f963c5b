// `gibbous call` at a terminal: how a question looks, and what an answer does.
#include <string>
#include <vector>

#include "tests/bindings/cli/asking.h"
#include "tests/support/catch.h"
#include "tests/support/conversation.h"
#include "tests/support/terminal_program.h"

using namespace gibbous::testing;

namespace {

enum ExitCode { kDone = 0, kFailed = 1, kDenied = 3, kNeedsApproval = 4 };

constexpr const char* kPrompt =
    "Allow? [y] once, [s]ession, [a]lways this command, always [r]ule, [N]o: ";
constexpr const char* kEndOfInput = "\x04";
constexpr const char* kInterrupt = "\x03";

ProgramSpec call_of(const Asking& asking, std::vector<std::string> arguments = {"build"}) {
  arguments.insert(arguments.begin(), {"/usr/bin/env", "TERM=dumb", command_path(), "call"});
  return {.argv = asking.options(std::move(arguments)), .env = {}, .cwd = ""};
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a question shows the command, the reason, the tool and the rule, made printable") {
  const Asking asking;
  TerminalProgram program(call_of(asking));
  const std::string shown = program.until(kPrompt);
  for (const char* part :
       {"Approval needed: make -j4 && make install\r\nWhy: It\\x1b[2J builds.\r\n", "Tool: build",
        "  make -j4\r\n  make install", "Rule: test.ask", "policies/init.lua:"}) {
    INFO(part << " in " << shown);
    CHECK(has(shown, part));
  }
  program.type("y\n");
  program.until("built with make -j4 && make install");
  CHECK(program.wait().code == kDone);
}

TEST_CASE("only a yes allows") {
  const std::vector<std::pair<std::string, int>> cases = {
      {"y\n", kDone},      {"YES\n", kDone}, {"\n", kDenied},        {"n\n", kDenied},
      {" No \n", kDenied}, {"s\n", kDone},   {kEndOfInput, kDenied}, {kInterrupt, kFailed},
  };
  for (const auto& [keys, code] : cases) {
    INFO(keys);
    const Asking asking;
    TerminalProgram program(call_of(asking));
    program.until(kPrompt);
    program.type(keys);
    CHECK(program.wait().code == code);
    CHECK(has(program.shown(), "built with make") == (code == kDone));
    if (code == kDenied) CHECK(has(program.shown(), "declined by the user"));
    // Nothing is remembered: the next call leads to the same question.
    const auto next = run_program(call_of(asking));
    CHECK(next.status.code == kNeedsApproval);
  }
}

TEST_CASE("an invalid answer repeats the question") {
  const Asking asking;
  TerminalProgram program(call_of(asking));
  program.until(kPrompt);
  const std::vector<std::string> wrongs = {"yy", "perhaps", std::string(3000, 'y')};
  for (const std::string& wrong : wrongs) {
    program.type(wrong + "\n");
    program.until("Please answer y, s, a, r or n: ");
  }
  program.type("y\n");
  CHECK(program.wait().code == kDone);
}

TEST_CASE("the answer always is remembered for the command, and rule for the whole rule") {
  const std::vector<std::string> other = {"build", R"({"command":"make other"})"};
  for (const std::string keys : {"a\n", "r\n"}) {
    INFO(keys);
    const Asking asking;
    {
      TerminalProgram program(call_of(asking));
      program.until(kPrompt);
      program.type(keys);
      CHECK(program.wait().code == kDone);
    }
    CHECK(run_program(call_of(asking)).status.code == kDone);
    const int expected = keys == "r\n" ? kDone : kNeedsApproval;
    CHECK(run_program(call_of(asking, other)).status.code == expected);
  }
}

TEST_CASE("keys typed before the question do not answer it") {
  const Asking asking;
  const std::string path = asking.dir().path() + "/go";
  TerminalProgram program(call_of(asking, {"late", R"({"path":")" + path + "\"}"}));
  program.until("waiting");
  program.type("y\ny\n");
  program.until("y\r\ny\r\n");  // the terminal has echoed it
  asking.dir().write("go", "");
  program.until(kPrompt);
  program.type("n\n");
  CHECK(program.wait().code != kDone);
  CHECK(has(program.shown(), "declined by the user"));
}

TEST_CASE("there is no question with --json or without a terminal") {
  const Asking asking;
  TerminalProgram program(call_of(asking, {"build", "--json"}));
  CHECK(program.wait().code == kNeedsApproval);
  CHECK(has(program.shown(), "needs_approval"));

  TerminalProgram piped(call_of(asking, {"build", "-"}));
  piped.type(std::string("{}\n") + kEndOfInput);
  CHECK(piped.wait().code == kNeedsApproval);

  const Outcome outcome = run_program(call_of(asking), "y\n");
  CHECK(outcome.status.code == kNeedsApproval);
  CHECK_FALSE(has(outcome.err, "Allow?"));
}
