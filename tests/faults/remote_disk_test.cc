// A file system that does not answer: whatever names it is given up, and nothing else waits for it.
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/conversation.h"
#include "tests/support/host.h"
#include "tests/support/remote_disk.h"

namespace gibbous {
namespace {

using Catch::Matchers::Contains;
using testing::auto_mode;
using testing::Conversation;
using testing::Host;
using testing::ProgramSpec;
using testing::RemoteDisk;
using testing::TempDir;

RuntimeOptions dangerous() {
  RuntimeOptions options = auto_mode();
  options.mode = "dangerous";
  return options;
}

Json command(const std::string& line) {
  return {{"command", line}};
}

// A host with a run, beside a disk that has died.
struct Desk {
  explicit Desk(RuntimeOptions options = auto_mode()) : host(std::move(options)) {
    sleeper = host.start("exec sleep 1000");
    other = host.start("exec sleep 1000");
  }

  bool mounted() {
    if (!disk.mounted()) WARN("not tested: " + disk.said());
    return disk.mounted();
  }
  std::optional<CallResult>& begin(const std::string& tool, const Json& arguments) {
    auto& result = results.emplace_back(std::make_unique<std::optional<CallResult>>());
    host.runtime->call({tool, arguments.dump()},
                       [at = result.get()](const CallResult& ended) { *at = ended; });
    return *result;
  }
  // Other calls are answered, by the host and by its keeper, while this one is not. They take next
  // to nothing: the disk has a second.
  void others_go_on(const std::optional<CallResult>& held) {
    CHECK_FALSE(held);
    CHECK(host.call("bg_status", Json::object()).ok);
    CHECK(host.call("bg_kill", {{"id", other}, {"signal", "SIGKILL"}}).ok);
    CHECK_FALSE(held);
    other = host.start("exec sleep 1000");
  }
  bool until(const std::optional<CallResult>& result) {
    return host.until([&] { return result.has_value(); });
  }

  RemoteDisk disk;
  Host host;
  std::string sleeper;
  std::string other;
  std::vector<std::unique_ptr<std::optional<CallResult>>> results;
};

TEST_CASE("remote disk: while it answers, paths on it are judged like others") {
  Desk desk;
  if (!desk.mounted()) return;
  const auto run = [&](const std::string& line) {
    return desk.host.call("bg_start", command(line));
  };
  CHECK(run("cat " + desk.disk.path("file")).ok);
  CHECK(run("cat " + desk.disk.path("link/file")).ok);
  CHECK(run("cat " + desk.disk.path("none")).ok);
  // Links are resolved there, too: what they lead to counts.
  TempDir dir;
  CHECK(run("cat " + dir.path() + "/x").ok);
  CHECK(
      desk.host.call("wait_for", {{"file", desk.disk.path("link/file")}, {"timeout", 20'000}}).ok);
}

TEST_CASE("remote disk: a command that names it is asked about, and no other call waits") {
  Desk desk;
  if (!desk.mounted()) return;
  desk.disk.die();
  const auto& held = desk.begin("bg_start", command("cat " + desk.disk.path("other")));
  desk.others_go_on(held);
  REQUIRE(desk.until(held));
  CHECK(held->code == "needs_approval");
  CHECK_THAT(held->message, Contains("does not answer") && Contains(desk.disk.path("other")));
  // From now on it is known.
  const auto again = desk.host.call("bg_start", command("cat " + desk.disk.path("third")));
  CHECK(again.code == "needs_approval");
  // What is denied needs no disk to be denied.
  const auto denied =
      desk.host.call("bg_start", command("cat " + desk.disk.path("x") + "; rm -rf /"));
  CHECK(denied.code == "denied");
  desk.disk.live();
  CHECK(desk.host.until(
      [&] { return desk.host.call("bg_start", command("cat " + desk.disk.path("fourth"))).ok; }));
}

TEST_CASE("remote disk: a long line that names it is asked about, and no other call waits") {
  Desk desk;
  if (!desk.mounted()) return;
  desk.disk.die();
  std::string line;
  while (line.size() < 5'000) line += "echo one two; ";
  const auto& held = desk.begin("bg_start", command(line + "cat " + desk.disk.path("other")));
  CHECK_FALSE(held);
  // A call that takes next to nothing: the disk has a second.
  CHECK(desk.host.call("bg_output", {{"id", desk.sleeper}}).ok);
  CHECK_FALSE(held);
  REQUIRE(desk.until(held));
  CHECK(held->code == "needs_approval");
}

TEST_CASE("remote disk: a wait for a file on it times out, and fires when it answers again") {
  Desk desk;
  if (!desk.mounted()) return;
  desk.disk.die();
  const auto& held = desk.begin("wait_for", {{"file", desk.disk.path("new")}, {"timeout", 5'000}});
  desk.others_go_on(held);
  REQUIRE(desk.until(held));
  CHECK(held->code == "timeout");
  const auto& waits =
      desk.begin("wait_for", {{"file", desk.disk.path("link/file")}, {"timeout", 60'000}});
  desk.others_go_on(waits);
  desk.disk.live();
  REQUIRE(desk.until(waits));
  CHECK(waits->ok);
}

TEST_CASE(
    "remote disk: a run whose directory or program lies on it fails to start, and others start") {
  Desk desk(dangerous());
  if (!desk.mounted()) return;
  const Json in_it = {{"command", "pwd"}, {"cwd", desk.disk.path("directory")}};
  const Json of_it = command("exec " + desk.disk.path("tool"));
  CHECK(desk.host.call("bg_start", in_it).ok);
  CHECK(desk.host.call("bg_start", of_it).ok);
  desk.disk.die();
  const auto& held = desk.begin("bg_start", in_it);
  desk.others_go_on(held);
  const auto& program =
      desk.begin("process", {{"action", "start"}, {"argv", {desk.disk.path("tool")}}});
  REQUIRE(desk.until(held));
  CHECK_FALSE(held->ok);
  CHECK_THAT(held->message, Contains("does not answer"));
  REQUIRE(desk.until(program));
  CHECK_FALSE(program->ok);
  desk.disk.live();
  CHECK(desk.host.call("bg_start", in_it).ok);
}

TEST_CASE("remote disk: a start that waits for it ends with its runtime") {
  Desk desk(dangerous());
  if (!desk.mounted()) return;
  desk.disk.die();
  const auto& held =
      desk.begin("bg_start", {{"command", "pwd"}, {"cwd", desk.disk.directory() + "/directory"}});
  const auto& asked =
      desk.begin("wait_for", {{"file", desk.disk.path("new")}, {"timeout", 60'000}});
  desk.others_go_on(held);
  bool closed = false;
  desk.host.runtime->close([&] { closed = true; });
  REQUIRE(desk.host.until([&] { return closed; }));
  CHECK(held);
  CHECK(asked);
}

TEST_CASE(
    "remote disk: a home that lies on it stops only runs in a sandbox, which hides its keys") {
  RemoteDisk disk;
  if (!disk.mounted()) {
    WARN("not tested: " + disk.said());
    return;
  }
  disk.die();
  for (const bool free : {true, false}) {
    RuntimeOptions options = free ? dangerous() : auto_mode();
    options.environment = {{"HOME", disk.directory()}, {"PATH", "/usr/bin:/bin"}};
    Host host(options);
    const CallResult result = host.call("bg_start", command("echo hello"));
    INFO(result.message);
    CHECK(result.ok == free);
    CHECK((free || result.message.find("its sandbox needs does not answer") != std::string::npos));
  }
}

TEST_CASE("remote disk: what a start looks up on it itself is named, and no other call waits") {
  RuntimeOptions options = dangerous();
  RemoteDisk disk;
  if (!disk.mounted()) {
    WARN("not tested: " + disk.said());
    return;
  }
  options.workspace = disk.directory();
  options.sandbox = "workspace";
  TempDir config;
  options.config_file = config.write(
      "config.lua", "return { secrets = { key = { file = '" + disk.path("file") + "' } } }\n");
  options.files["scripts/init.lua"] =
      "return { toolsets = { require 'toolsets.bg', { name = 'x', tools = { tool { name = 'try',\n"
      "  description = 'Starts a run.', permission = 'execute',\n"
      "  input = schema.object({}, { additional = true }),\n"
      "  run = function(args)\n"
      "    args.command, args.cwd, args.detach = 'true', '/', true\n"
      "    local h, err = run.start(args)\n"
      "    if not h then tool.error(err.code, err.message) end\n"
      "  end } } } } }\n";
  Host host(options);
  const auto goes_on = [&](const Json& arguments) {
    std::optional<CallResult> result;
    host.runtime->call({"try", arguments.dump()}, [&](const CallResult& ended) { result = ended; });
    CHECK(host.call("bg_status", Json::object()).ok);
    REQUIRE(host.until([&] { return result.has_value(); }));
    return *result;
  };
  disk.die();
  const CallResult git = goes_on(Json::object());
  CHECK_THAT(git.message, Contains("the file system of the workspace does not answer"));
  const CallResult log = goes_on({{"log", {{"path", "new.log"}}}, {"sandbox", "none"}});
  CHECK_THAT(log.message, Contains("does not answer"));
  const CallResult secret =
      goes_on({{"env", {{"KEY", {{"secret", "key"}}}}}, {"sandbox", "readonly"}});
  CHECK_THAT(secret.message, Contains("does not answer"));
}

TEST_CASE("remote disk: what Gibbous keeps on it is named when it does not answer") {
  RemoteDisk disk;
  if (!disk.mounted()) {
    WARN("not tested: " + disk.said());
    return;
  }
  disk.die();
  const std::string place = disk.path("own");
  const auto refused = [&](const std::string& field, RuntimeOptions options) {
    const auto created = Runtime::create(std::move(options));
    INFO(field);
    REQUIRE_FALSE(created.ok());
    CHECK(created.status().code() == "path_unanswered");
    CHECK_THAT(created.status().message(),
               Contains(field) && Contains(place) && Contains("does not answer"));
  };
  const std::pair<const char*, std::string RuntimeOptions::*> fields[] = {
      {"state_dir", &RuntimeOptions::state_dir},
      {"workspace", &RuntimeOptions::workspace},
      {"config_file", &RuntimeOptions::config_file},
      {"scripts", &RuntimeOptions::scripts_dir},
      {"policies", &RuntimeOptions::policies_dir}};
  for (const auto& [field, member] : fields) {
    RuntimeOptions options = auto_mode();
    options.*member = place;
    refused(field, options);
  }
}

TEST_CASE("remote disk: scripts that move to it are not taken while it does not answer") {
  RemoteDisk disk;
  if (!disk.mounted()) {
    WARN("not tested: " + disk.said());
    return;
  }
  TempDir dir;
  dir.write("good/init.lua", "return { toolsets = { require 'toolsets.bg' } }\n");
  RuntimeOptions options = auto_mode();
  options.scripts_dir = dir.path() + "/scripts";
  std::filesystem::create_directory_symlink("good", options.scripts_dir);
  Host host(options);
  disk.die();
  std::filesystem::remove(options.scripts_dir);
  std::filesystem::create_directory_symlink(disk.path("new"), options.scripts_dir);
  const ReloadResult failed = host.runtime->reload();
  CHECK_FALSE(failed.ok);
  CHECK_THAT(failed.message, Contains("does not answer"));
  CHECK(host.call("bg_status", Json::object()).ok);
}

TEST_CASE("remote disk: a question is shown while approvals cannot be read, and can be withdrawn") {
  RemoteDisk disk;
  if (!disk.mounted()) {
    WARN("not tested: " + disk.said());
    return;
  }
  TempDir dir;
  RuntimeOptions options = auto_mode();
  options.state_dir = dir.path() + "/state/own";
  std::filesystem::create_directories(dir.path() + "/good/own");
  std::filesystem::permissions(dir.path() + "/good/own", std::filesystem::perms::owner_all);
  std::filesystem::create_directory_symlink("good", dir.path() + "/state");
  Host host(options);
  std::vector<AskRequest> asked;
  std::vector<std::string> withdrawn;
  (void)host.runtime->on_ask([&](AskRequest request) { asked.push_back(std::move(request)); },
                             [&](const std::string& id) { withdrawn.push_back(id); });
  REQUIRE(host.call("bg_status", Json::object()).ok);  // it has its session
  disk.die();
  std::filesystem::remove(dir.path() + "/state");
  std::filesystem::create_directory_symlink(disk.directory(), dir.path() + "/state");
  std::optional<CallResult> held;
  host.runtime->call({"bg_start", R"({"command": "git push origin main"})"},
                     [&](const CallResult& ended) { held = ended; });
  CHECK(asked.empty());
  REQUIRE(host.until([&] { return !asked.empty(); }));
  // What only the journal knows is missing after a while, and the call is answered.
  CHECK(host.call("bg_status", Json::object()).ok);
  AskAnswer no;
  no.allow = false;
  CHECK(asked.front().reply(no));
  REQUIRE(host.until([&] { return held.has_value(); }));
  CHECK(held->code == "denied");
  // A call that ends before its question could be shown takes it with it.
  std::optional<CallResult> cancelled;
  const auto call = host.runtime->call({"bg_start", R"({"command": "git push origin other"})"},
                                       [&](const CallResult& ended) { cancelled = ended; });
  (void)host.runtime->cancel(call);
  REQUIRE(host.until([&] { return cancelled.has_value(); }));
  CHECK(asked.size() == 1);
  CHECK(withdrawn.empty());
  disk.live();  // an end waits for what it leaves there
}

// A thread of the process waits in the kernel for the file system's answer.
bool hangs(pid_t pid) {
  std::error_code error;
  for (const auto& thread :
       std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task", error)) {
    std::ifstream file(thread.path() / "wchan");
    std::string place;
    if (std::getline(file, place) && place == "request_wait_answer") return true;
  }
  return false;
}

// A log is written by a thread of the host, which then hangs in the kernel.
TEST_CASE("remote disk: a host that is killed while it hangs there leaves no run behind") {
  RemoteDisk disk;
  if (!disk.mounted()) {
    WARN("not tested: " + disk.said());
    return;
  }
  TempDir dir;
  dir.write("scripts/init.lua",
            "return { toolsets = { { name = 'x', tools = { tool { name = 'logged',\n"
            "  description = 'Starts a run with a log.', permission = 'execute',\n"
            "  input = schema.object { command = schema.string {}, path = schema.string {} },\n"
            "  run = function(args)\n"
            "    run.start { command = args.command, log = { path = args.path }, detach = true }\n"
            "    return 'started'\n"
            "  end } } } } }\n");
  ProgramSpec spec;
  spec.argv = {testing::command_path(),
               "session",
               "--mode",
               "dangerous",
               "--scripts",
               dir.path() + "/scripts",
               "--state",
               dir.path() + "/state",
               "--workspace",
               disk.directory()};
  testing::Loop loop;
  Conversation session(spec);
  // A shell looks at its directory when it begins and as it searches for a program. Not even
  // SIGKILL ends one that hangs there.
  const std::string begun = dir.path() + "/begun";
  const std::string word = testing::unique_word();
  const Json started =
      session.call("logged", {{"command", "echo > '" + begun + "'; while true; do echo " + word +
                                              "; /bin/sleep 0.05; done"},
                              {"path", disk.path("log")}});
  INFO(started.dump());
  REQUIRE(started.contains("result"));
  REQUIRE(loop.until([&] { return std::filesystem::exists(begun); }));
  REQUIRE_FALSE(testing::processes_with(word).empty());
  disk.die();
  const pid_t pid = session.program().pid();
  REQUIRE(loop.until([&] { return hangs(pid) && disk.holds_requests(); }));
  session.program().send_signal(SIGKILL);
  CHECK(loop.until([&] { return testing::processes_with(word).empty(); }));
  CHECK_FALSE(session.program().wait(std::chrono::milliseconds(0)));  // it still hangs
  disk.live();
  CHECK(session.program().wait());
}

}  // namespace
}  // namespace gibbous
