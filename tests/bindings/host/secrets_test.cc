// Secrets that starts name: they reach the run, and no journal, list, event or answer.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous::testing {
namespace {

using Catch::Matchers::Contains;

constexpr const char* kValue = "correct-horse-battery";

class Desk {
 public:
  explicit Desk(const std::string& secrets, const std::string& mode = "dangerous") {
    RuntimeOptions options = with_shell();
    options.mode = mode;
    options.config_file =
        dir.write("gibbous.config.lua", "return { secrets = { " + secrets + " } }");
    options.state_dir = dir.path() + "/state";
    options.workspace = dir.path();
    host.emplace(std::move(options));
  }
  CallResult start(const std::string& command, const std::string& name) {
    return host->call("bg_start", {{"command", command},
                                   {"until", {{"exit", true}}},
                                   {"env", {{"TOKEN", {{"secret", name}}}}}});
  }
  // All that is on disk of the state, as one text.
  std::string recorded() {
    host.reset();
    std::string all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(dir.path() + "/state")) {
      if (!entry.is_regular_file()) continue;
      std::ifstream file(entry.path(), std::ios::binary);
      all.append(std::istreambuf_iterator<char>(file), {});
    }
    return all;
  }

  TempDir dir;
  std::optional<Host> host;
};

TEST_CASE("a secret of a file reaches the run, and its output and the journal show asterisks") {
  Desk desk("deploy = { file = 'token' }");
  desk.dir.write("token", std::string(kValue) + "\n");
  const CallResult result =
      desk.start("printf '%s' \"$TOKEN\" > copy; echo token: $TOKEN", "deploy");
  REQUIRE(result.ok);
  std::ifstream copy(desk.dir.path() + "/copy");
  CHECK(std::string(std::istreambuf_iterator<char>(copy), {}) == kValue);
  const std::string id = Json::parse(result.data)["id"];
  const CallResult output = desk.host->call("bg_output", {{"id", id}});
  CHECK_THAT(output.text, Contains("token: *********************"));
  for (const Event& event : desk.host->events) CHECK_THAT(event.json, !Contains(kValue));
  const std::string recorded = desk.recorded();
  CHECK_THAT(recorded, Contains("token: *****"));
  CHECK(recorded.find(kValue) == std::string::npos);
}

TEST_CASE("a secret of a variable is not inherited by runs that do not name it") {
  ::setenv("GIBBOUS_TEST_SECRET", kValue, 1);
  Desk desk("deploy = { env = 'GIBBOUS_TEST_SECRET' }");
  ::unsetenv("GIBBOUS_TEST_SECRET");
  const std::string look = "test ${#TOKEN} = 21; echo $?$GIBBOUS_TEST_SECRET.";
  const std::string id = Json::parse(desk.start(look, "deploy").data)["id"];
  CHECK_THAT(desk.host->call("bg_output", {{"id", id}}).text, Contains("0.\n"));
}

TEST_CASE("a secret of a command is what it prints, without the line break") {
  Desk desk("deploy = { command = { 'sh', '-c', 'echo correct-horse-battery' } }");
  const CallResult result = desk.start("test ${#TOKEN} = 21", "deploy");
  CHECK_THAT(result.text, Contains(": exit 0"));
  CHECK(desk.recorded().find("echo correct-horse-battery") == std::string::npos);
}

TEST_CASE("a program that embeds Gibbous gives secrets itself") {
  RuntimeOptions options = auto_mode();
  options.mode = "dangerous";
  options.secrets["deploy"] = kValue;
  Host host(options);
  const CallResult result = host.call("bg_start", {{"command", "test ${#TOKEN} = 21"},
                                                   {"until", {{"exit", true}}},
                                                   {"env", {{"TOKEN", {{"secret", "deploy"}}}}}});
  CHECK_THAT(result.text, Contains(": exit 0"));
}

TEST_CASE("a path that the host hides is read by no sandboxed run, and asked about in others") {
  const TempDir ours;
  const TempDir workspace;
  RuntimeOptions options = auto_mode();
  options.hidden_paths = {ours.write("token", kValue), workspace.write("token", kValue)};
  options.workspace = workspace.path();
  const std::string readable = ours.write("beside", "free");
  const auto read = [&](const std::string& path) {
    Host host(options);
    return host.call("bg_start", {{"command", "cat " + path}, {"until", {{"exit", true}}}});
  };
  for (const std::string& hidden : options.hidden_paths) CHECK_FALSE(read(hidden).ok);
  CHECK_THAT(read(readable).text, Contains("free"));
  options.mode = "dangerous";
  options.sandbox = "workspace";
  CHECK_THAT(read(readable).text, Contains("free"));
  for (const std::string& hidden : options.hidden_paths)
    CHECK_THAT(read(hidden).text, Contains("exit") && !Contains(kValue));
}

TEST_CASE("a secret that does not exist or cannot be had is an error that says why") {
  Desk desk(
      "deploy = { file = 'missing' }, failing = { command = { 'false' } }, "
      "unset = { env = 'GIBBOUS_TEST_UNSET' }, directory = { file = '.' }, "
      "silent = { command = { 'true' } }");
  const CallResult unknown = desk.start("true", "deplyo");
  CHECK(unknown.code == "unknown_secret");
  CHECK_THAT(unknown.message, Contains("env.TOKEN.secret: there is no secret 'deplyo'") &&
                                  Contains("did you mean 'deploy'?"));
  CHECK_THAT(desk.start("true", "deploy").message,
             Contains("missing is no file, or cannot be read"));
  CHECK_THAT(desk.start("true", "directory").message, Contains("is no file, or cannot be read"));
  CHECK_THAT(desk.start("true", "silent").message, Contains("secret silent: its value is empty"));
  CHECK_THAT(desk.start("true", "failing").message,
             Contains("secret failing: its command failed: exit code 1"));
  CHECK_THAT(desk.start("true", "unset").message,
             Contains("GIBBOUS_TEST_UNSET was not set when Gibbous started"));
}

TEST_CASE("a start with a secret is asked about, unless the mode allows it") {
  Desk desk("deploy = { file = 'token' }", "auto");
  desk.dir.write("token", kValue);
  const CallResult result = desk.start("true", "deploy");
  CHECK(result.code == "needs_approval");
  CHECK_THAT(result.message, Contains("gets the secret deploy"));
  std::size_t questions = 0;
  desk.host->runtime->on_ask([&questions](const AskRequest& question) {
    ++questions;
    CHECK_THAT(question.subject, Contains("deploy"));
    AskAnswer yes;
    yes.allow = true;
    question.reply(yes);
  });
  CHECK(desk.start("true", "deploy").ok);
  CHECK(questions == 1);
}

TEST_CASE("a run with secrets cannot outlive its host") {
  RuntimeOptions options = auto_mode();
  const TempDir dir;
  options.mode = "dangerous";
  options.state_dir = dir.path();
  options.secrets["deploy"] = kValue;
  options.keep_runs = true;
  Host host(options);
  const CallResult result =
      host.call("bg_start", {{"command", "true"}, {"env", {{"TOKEN", {{"secret", "deploy"}}}}}});
  CHECK_THAT(result.message, Contains("a run with secrets cannot outlive Gibbous"));
}

TEST_CASE("a queued run has its secrets looked up when it starts") {
  Desk desk("deploy = { file = 'token' }");
  desk.dir.write("token", kValue);
  const CallResult result =
      desk.host->call("bg_start", {{"command", "test ${#TOKEN} = 21"},
                                   {"serial", "one"},
                                   {"until", {{"exit", true}}},
                                   {"env", {{"TOKEN", {{"secret", "deploy"}}}}}});
  CHECK_THAT(result.text, Contains("exit"));
  CHECK_THAT(result.text, Contains(": exit 0"));
  CHECK(desk.recorded().find(kValue) == std::string::npos);
}

TEST_CASE("wrong secrets in the configuration name the field") {
  const TempDir dir;
  RuntimeOptions options;
  options.config_file =
      dir.write("c.lua", "return { secrets = { x = { env = 'A', file = 'b' } } }");
  const auto runtime = Runtime::create(options);
  REQUIRE_FALSE(runtime.ok());
  CHECK_THAT(runtime.status().message(),
             Contains("secrets.x: expected one of env (a variable), file (a path) and command"));
}

}  // namespace
}  // namespace gibbous::testing
