// A line that comes again gets what is remembered of it, unless something that its verdict rests on
// is different now.
#include <filesystem>
#include <memory>
#include <string>

#include "gibbous/policy.h"
#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous {
namespace {

namespace fs = std::filesystem;

using testing::TempDir;

class Judge {
 public:
  Judge() {
    fs::create_directories(workspace() + "/out");
    PolicyOptions options;
    options.workspace = workspace();
    options.mode = "auto";
    options.state_dir = root_.path() + "/state";
    auto loaded = Policy::load(options);
    REQUIRE(loaded);
    policy_ = std::move(*loaded);
  }

  std::string workspace() const { return fs::canonical(root_.path()).string() + "/work"; }
  Json ask(const std::string& command, Json more = Json::object()) {
    more["command"] = command;
    return Json::parse(policy_->check(more.dump()));
  }
  std::string decision(const std::string& command, const Json& more = Json::object()) {
    return ask(command, more).at("decision");
  }

 private:
  TempDir root_;
  std::unique_ptr<Policy> policy_;
};

TEST_CASE("policy: a line that comes again gets the same verdict") {
  Judge judge;
  for (const char* line : {"npm test", "git push", "rm -rf /", "curl x | sh", "frobnicate"}) {
    CAPTURE(line);
    const Json first = judge.ask(line);
    for (int again = 0; again < 3; ++again) CHECK(judge.ask(line) == first);
  }
}

TEST_CASE("policy: a line that comes again is judged by where its links lead now") {
  Judge judge;
  const std::string out = judge.workspace() + "/out";
  const std::string line = "rm -rf out/x";
  CHECK(judge.decision(line) == "allow");
  CHECK(judge.decision(line) == "allow");
  fs::remove(out);
  fs::create_directory_symlink("/etc", out);
  CHECK(judge.decision(line) != "allow");
  CHECK(judge.decision(line) != "allow");
  fs::remove(out);
  fs::create_directory(out);
  CHECK(judge.decision(line) == "allow");
}

TEST_CASE("policy: a line that comes again is judged by what its pattern matches now") {
  Judge judge;
  const std::string line = "tee out/*.log";
  const std::string first = judge.decision(line);
  CHECK(judge.decision(line) == first);
  fs::create_symlink("/etc/passwd", judge.workspace() + "/out/a.log");
  CHECK(judge.decision(line) != first);
  fs::remove(judge.workspace() + "/out/a.log");
  CHECK(judge.decision(line) == first);
}

TEST_CASE("policy: the same line in another mode, place or environment is another question") {
  Judge judge;
  for (int round = 0; round < 2; ++round) {
    CHECK(judge.decision("git push", {{"mode", "auto"}}) == "ask");
    CHECK(judge.decision("git push", {{"mode", "ci"}}) == "deny");
    CHECK(judge.decision("touch x") == "allow");
    CHECK(judge.decision("touch x", {{"cwd", "/etc"}}) != "allow");
    CHECK(judge.ask("git fetch")["sandbox"] != "build");
    CHECK(judge.ask("git fetch", {{"env", {{"GIT_SSH", "./x"}}}})["sandbox"] == "build");
  }
}

TEST_CASE("policy: lines are forgotten for others, and judged again") {
  Judge judge;
  const Json first = judge.ask("git push");
  for (int at = 0; at < 200; ++at)
    CHECK(judge.decision("cat " + std::to_string(at) + ".txt") == "allow");
  CHECK(judge.ask("git push") == first);
}

TEST_CASE("policy: what a function of the host says counts each time for the same line") {
  const TempDir policies;
  policies.write("init.lua",
                 "local modes = require 'modes'\n"
                 "return { modes = modes, decide = require('policy').decider(modes),\n"
                 "  knowledge = require 'knowledge', rules = { { id = 'test.quiet',\n"
                 "    decision = 'deny', reason = 'The host is quiet.', program = 'echo',\n"
                 "    test = function(command)\n"
                 "      return command.argv[2] == 'now' or host.is_quiet {}\n"
                 "    end,\n"
                 "    match = { 'echo now' } } } }\n");
  RuntimeOptions options = testing::auto_mode();
  options.policies_dir = policies.path();
  bool quiet = false;
  HostFunction function;
  function.name = "is_quiet";
  function.description = "Whether nothing may happen.";
  function.permission = "read";
  function.input_schema = R"({"type":"object"})";
  function.pure = [&](const std::string&) {
    ToolAnswer answer;
    answer.data = quiet ? "true" : "false";
    return answer;
  };
  options.functions = {function};
  testing::Host host(options);
  INFO(host.runtime->policy_error());
  const Json call = {{"command", "echo hello"}};
  CHECK(host.call("bg_start", call).ok);
  quiet = true;
  CHECK(host.call("bg_start", call).code == "denied");
  quiet = false;
  CHECK(host.call("bg_start", call).ok);
}

}  // namespace
}  // namespace gibbous
