// What a team's own policy calls a secret, in the views of other processes, which do not know that
// policy: a real `gibbous session` runs the commands, and the views read its journal.
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/conversation.h"
#include "tests/support/loop.h"
#include "tests/support/program.h"
#include "tests/support/terminal_program.h"

using Catch::Matchers::Contains;
using gibbous::Json;
using namespace gibbous::testing;

namespace {

constexpr const char* kSecret = "corp-7f3a9";  // no built-in pattern knows it
constexpr const char* kPattern = "corp-[0-9a-f]+";

class Team {
 public:
  explicit Team(const std::string& patterns) { declare(patterns); }

  // Declares the patterns, a Lua list, in the team's policy.
  void declare(const std::string& patterns) {
    places_.write("policies/init.lua",
                  "local modes = require 'modes'\n"
                  "return { modes = modes, decide = require('policy').decider(modes),\n"
                  "  rules = {}, knowledge = require 'knowledge', log = { redact = " +
                      patterns + " } }\n");
  }
  std::vector<std::string> session() const {
    return {"--mode", "dangerous", "--policies", places_.path() + "/policies", "--state", state()};
  }
  std::string state() const { return places_.path() + "/state"; }
  ProgramSpec spec(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), command_path());
    arguments.insert(arguments.end(), {"--state", state()});
    return {.argv = std::move(arguments), .env = {{"TERM", "xterm"}}, .cwd = places_.path()};
  }
  std::string view(std::vector<std::string> arguments) const {
    const Outcome outcome = run_program(spec(std::move(arguments)));
    CHECK(outcome.status.code == 0);
    return outcome.out;
  }
  std::string page() const {
    (void)view({"report", "team", "-o", places_.path() + "/page.html"});
    std::stringstream text;
    text << std::ifstream(places_.path() + "/page.html").rdbuf();
    return text.str();
  }

 private:
  TempDir places_;
};

// Waits until the journal has the run, for which there is no event.
void wait_until_recorded(const Team& team, const std::string& run) {
  Loop loop;
  REQUIRE(loop.until([&] {
    return run_program(team.spec({"ps", "--all"})).out.find(run) != std::string::npos;
  }));
}

std::string started(Conversation& session, const std::string& command, Json more = Json::object()) {
  more["command"] = command;
  const Json answer = session.call("bg_start", more, "team");
  INFO(answer.dump());
  REQUIRE(answer.contains("result"));
  return answer["result"]["data"]["id"];
}

}  // namespace

TEST_CASE("the policy's own secrets are redacted in every view, and shown to their own agent") {
  const Team team(std::string("{ '") + kPattern + "' }");
  std::string run;
  {
    Conversation session(team.session());
    run = started(
        session, std::string("echo line ") + kSecret,
        {{"watch", {{{"regex", "line .*"}, {"event", "seen"}}}}, {"until", {{"exit", true}}}});
    const Json output = session.call("bg_output", {{"id", run}}, "team");
    CHECK_THAT(output.dump(), Contains(kSecret));
    session.program().close_stdin();
    CHECK(session.program().wait()->code == 0);
  }
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"ps", "--all"},
                                             {"ps", "--all", "--json"},
                                             {"events"},
                                             {"events", "--json"},
                                             {"logs", run},
                                             {"logs", run, "--json"},
                                             {"attach", run},
                                             {"policy", "log"}}) {
    const std::string shown = team.view(arguments);
    INFO(arguments.front() << " " << arguments.back() << "\n" << shown);
    CHECK_THAT(shown, Contains("line ***") && !Contains(kSecret));
  }
  CHECK_THAT(team.page(), Contains("line ***") && !Contains(kSecret) && !Contains(kPattern));
  CHECK_THAT(team.view({"logs", run, "--raw"}), Contains(kSecret));
}

TEST_CASE("a label and a directory with a secret are redacted, and the label still finds its run") {
  const Team team(std::string("{ '") + kPattern + "' }");
  const std::string label = std::string("for ") + kSecret;
  const TempDir place;
  const std::string directory = place.path() + "/" + kSecret;
  place.write(std::string(kSecret) + "/file", "");
  {
    Conversation session(team.session());
    started(session, "echo done",
            {{"label", label}, {"cwd", directory}, {"until", {{"exit", true}}}});
    session.program().close_stdin();
    CHECK(session.program().wait()->code == 0);
  }
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"ps", "--all"},
                                             {"ps", "--all", "--json"},
                                             {"events"},
                                             {"events", "--json"},
                                             {"sessions"}}) {
    INFO(arguments[0]);
    const std::string shown = team.view(arguments);
    INFO(shown);
    CHECK_THAT(shown, !Contains(kSecret));
  }
  CHECK_THAT(team.page(), !Contains(kSecret));
  CHECK_THAT(team.view({"logs", label}), Contains("done"));
}

TEST_CASE("a terminal that another process attaches to is redacted by the run's policy") {
  const Team team(std::string("{ '") + kPattern + "' }");
  Conversation session(team.session());
  const std::string run =
      started(session, std::string("printf 'is %s!\\n' ") + kSecret + "; cat", {{"pty", true}});
  wait_until_recorded(team, run);
  TerminalProgram attach(team.spec({"attach", run}));
  attach.until("is ***!");
  TerminalProgram top(team.spec({"top"}));
  top.until("is ***!");
  attach.type("q");
  top.type("q");
  CHECK(attach.wait().code == 0);
  CHECK(top.wait().code == 0);
  CHECK_THAT(attach.shown() + top.shown(), !Contains(kSecret));
}

TEST_CASE("a secret that goes on in the next row of a terminal is redacted in both") {
  const Team team(std::string("{ '") + kPattern + "' }");
  Conversation session(team.session());
  const std::string run = started(
      session, std::string("stty cols 20; printf 'aaaaaaaaaaaaaaaa%s!\n' ") + kSecret + "; cat",
      {{"pty", true}});
  wait_until_recorded(team, run);
  TerminalProgram attach(team.spec({"attach", run}));
  attach.until("***!");
  attach.type("q");
  CHECK(attach.wait().code == 0);
  CHECK_THAT(attach.shown(), Contains("aaaaaaaaaaaaaaaa***"));
  CHECK_THAT(attach.shown(), !Contains(std::string(kSecret).substr(4)));
}

TEST_CASE("a pattern that a reload adds counts for runs that go on, and none is taken back") {
  Team team(std::string("{ '") + kPattern + "' }");
  Conversation session(team.session());
  const std::string run = started(session, "cat", {{"until", {{"input", true}}}});
  wait_until_recorded(team, run);
  Program logs(team.spec({"logs", run, "-f"}));
  const auto type = [&](const std::string& line) {
    const Json answer = session.call("bg_input", {{"id", run}, {"keys", line + "\n"}}, "team");
    CHECK_THAT(answer.dump(), Contains(line));
  };
  type(std::string("first ") + kSecret);
  CHECK(logs.read_line() == "first ***");
  type("second acme-1");
  CHECK(logs.read_line() == "second acme-1");
  team.declare("{ 'acme-[0-9]' }");
  session.send({{"reload", true}, {"id", "r"}});
  REQUIRE(session.answer("r")["reload"]["ok"] == true);
  type(std::string("third acme-2 ") + kSecret);
  CHECK(logs.read_line() == "third *** ***");
  CHECK_THAT(team.view({"logs", run}), Contains("second ***\nthird *** ***\n"));
  const std::string later = started(session, std::string("echo later ") + kSecret);
  wait_until_recorded(team, later);
  CHECK_THAT(team.view({"ps", "--all"}), Contains(std::string("later ") + kSecret));
}

TEST_CASE("a wrong pattern stops the reload, and the patterns in force stay") {
  Team team(std::string("{ '") + kPattern + "' }");
  Conversation session(team.session());
  (void)started(session, "true");  // with the policy as it is now
  for (const char* wrong : {"{ 'acme-[' }", "{ token = 'acme' }", "'acme'", "{ 7 }", "{ '' }"}) {
    INFO(wrong);
    team.declare(wrong);
    session.send({{"reload", true}, {"id", wrong}});
    const Json answer = session.answer(wrong);
    CHECK_THAT(answer.dump(), Contains("redact") && !Contains("\"ok\":true"));
  }
  const std::string run = started(session, std::string("echo ") + kSecret);
  wait_until_recorded(team, run);
  CHECK_THAT(team.view({"ps", "--all"}), Contains("echo ***") && !Contains(kSecret));
}

TEST_CASE("a queued command is redacted before it has started") {
  const Team team(std::string("{ '") + kPattern + "' }");
  std::vector<std::string> arguments = team.session();
  arguments.insert(arguments.end(), {"--toolset", "shell"});
  Conversation session(arguments);
  // The queue of the session waits for the first run, which waits for input.
  for (const std::string& command : {std::string("cat"), std::string("echo queued ") + kSecret}) {
    (void)session.call("shell", {{"action", "spawn"}, {"command", command}, {"pty", true}}, "team");
  }
  const std::string shown = team.view({"ps"});
  CHECK_THAT(shown, Contains("queued  ") && Contains("queued ***") && !Contains(kSecret));
}
