// A queued run takes along its directory, variables, mode and sandbox to the host that starts it
// later, and the next client of its session is told of it.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "runtime/queue/worker.h"
#include "tests/runtime/journal/desk.h"
#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous::testing {
namespace {

using Catch::Matchers::Contains;
namespace fs = std::filesystem;

constexpr const char* kMark = "GIBBOUS_TEST_MARK";
constexpr const char* kToken = "GIBBOUS_TEST_API_TOKEN";

RuntimeOptions options_in(const TempDir& dir, const std::string& workspace) {
  dir.write(workspace + "/README", "");
  RuntimeOptions options = with_shell();
  options.state_dir = dir.path() + "/state";
  options.workspace = dir.path() + "/" + workspace;
  return options;
}

// What prints a secret is asked about in other modes.
RuntimeOptions dangerous(RuntimeOptions options) {
  options.mode = "dangerous";
  return options;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Queues a command in a process that executes nothing, and that ends. Returns its id.
std::string queue(RuntimeOptions options, const std::string& command) {
  options.work_queue = false;
  Host host(std::move(options));
  host.runtime->on_ask([](const AskRequest& question) {
    AskAnswer yes;
    yes.allow = true;
    question.reply(yes);
  });
  return host.data("shell", {{"action", "spawn"}, {"command", command}})["run_id"];
}

Json poll(Host& host, const std::string& id) {
  return host.data("shell", {{"action", "poll"}, {"run_id", id}});
}

Json ended(Host& host, const std::string& id) {
  Json seen;
  REQUIRE(host.until([&] {
    seen = poll(host, id);
    return seen["status"] != "queued" && seen["status"] != "starting" &&
           seen["status"] != "running";
  }));
  return seen;
}

TEST_CASE("a queued run has the directory and the variables of where it was queued") {
  const TempDir dir;
  ::setenv(kMark, "there", 1);
  ::setenv(kToken, "token-there", 1);
  const std::string id = queue(dangerous(options_in(dir, "project")),
                               std::string("pwd; echo $") + kMark + " $" + kToken);
  ::setenv(kMark, "here", 1);
  ::setenv(kToken, "token-here", 1);
  RuntimeOptions other = dangerous(options_in(dir, "other"));
  other.work_for_others = true;
  Host host(std::move(other));
  ended(host, id);
  std::string text = host.call("shell", {{"action", "poll"}, {"run_id", id}}).text;
  // What looks like a secret is in no journal: it comes from the host that starts the run.
  CHECK_THAT(text, Contains(dir.path() + "/project\n") && Contains("there token-here"));
  ::unsetenv(kMark);
  ::unsetenv(kToken);
}

// A tool that queues a run with a log.
constexpr const char* kLogging = R"(
return { toolsets = { require 'toolsets.shell', { name = 'logging', tools = { tool {
  name = 'later', description = 'queues a run', permission = 'execute',
  input = schema.object { path = schema.string {} },
  run = function(args)
    local queued = run.queue { command = 'echo logged', log = { path = args.path } }
    return { data = { id = queued.id } }
  end,
} } } } }
)";

TEST_CASE("the log of a queued run is in the workspace of where it was queued") {
  const TempDir dir;
  dir.write("scripts/init.lua", kLogging);
  RuntimeOptions asking = options_in(dir, "project");
  asking.work_queue = false;
  asking.toolsets.clear();
  asking.scripts_dir = dir.path() + "/scripts";
  const std::string absolute = dir.path() + "/project/absolute.log";
  std::vector<std::string> ids;
  {
    Host host(std::move(asking));
    for (const std::string& path : {std::string("relative.log"), absolute}) {
      ids.push_back(host.data("later", {{"path", path}})["id"]);
    }
  }
  RuntimeOptions other = options_in(dir, "other");
  other.work_for_others = true;
  Host host(std::move(other));
  for (const std::string& id : ids) CHECK(ended(host, id)["status"] == "completed");
  for (const std::string& path : {dir.path() + "/project/relative.log", absolute}) {
    INFO(path);
    CHECK(host.until([&] { return read_file(path) == "logged\n"; }));
  }
  CHECK(read_file(dir.path() + "/other/relative.log").empty());
}

TEST_CASE("a queued run is judged in its mode where that is stricter than the host's") {
  const TempDir dir;
  RuntimeOptions asking = options_in(dir, "project");
  asking.mode = "default";
  const std::string id = queue(asking, "git push --force");
  RuntimeOptions loose = options_in(dir, "project");
  loose.mode = "dangerous";
  Host host(loose);
  const Json spawn = {{"action", "spawn"}, {"command", "true"}};
  const std::string other = host.data("shell", spawn, "another session")["run_id"];
  REQUIRE(host.until([&] {
    const Json seen =
        host.data("shell", {{"action", "poll"}, {"run_id", other}}, "another session");
    return seen["status"] == "completed";
  }));
  CHECK(poll(host, id)["status"] == "queued");
}

TEST_CASE("a queued run that no person can approve says so, and so does one that waits behind it") {
  const TempDir dir;
  RuntimeOptions asking = options_in(dir, "project");
  asking.mode = "default";
  const std::string id = queue(asking, "git push --force");
  const std::string behind = queue(asking, "true");
  const std::string why = "not started: mode default asks, and no person can answer";
  Host host(options_in(dir, "project"));
  REQUIRE(host.until([&] { return poll(host, id).contains("reason"); }));
  const Json seen = poll(host, id);
  CHECK(seen["status"] == "queued");
  CHECK(seen["reason"] == why);
  CHECK_THAT(host.call("shell", {{"action", "poll"}, {"run_id", id}}).text,
             Contains("queued: " + why));
  CHECK_THAT(host.call("bg_status", {{"id", id}}).text, Contains(why));
  CHECK_THAT(host.call("bg_output", {{"id", id}}).text, Contains("[it is queued: " + why + "]"));
  CHECK_THAT(host.call("bg_output", {{"id", behind}}).text,
             Contains("it waits for run " + id + " (git push --force) to end, which is " + why));
  const CallResult waited = host.call("wait_for", {{"id", id}, {"exit", true}, {"timeout", 1}});
  CHECK(waited.code == "timeout");
  CHECK_THAT(waited.message, Contains(id + " is queued: " + why));
  const CallResult typed =
      host.call("shell", {{"action", "send_keys"}, {"run_id", id}, {"keys", "y"}});
  CHECK_THAT(typed.message, Contains(why));
}

TEST_CASE("a queued run that a stricter mode denies says which, and starts once a host may") {
  const TempDir dir;
  const std::string id = queue(options_in(dir, "project"), "git branch -d there-is-none || true");
  RuntimeOptions strict = options_in(dir, "project");
  strict.mode = "plan";
  {
    Host host(std::move(strict));
    REQUIRE(host.until([&] { return poll(host, id).contains("reason"); }));
    const std::string why = poll(host, id)["reason"];
    CHECK_THAT(why, Contains("not started: mode plan denies it: "));
    CHECK(why.size() < 256);
  }
  Host host(options_in(dir, "project"));
  const Json seen = ended(host, id);
  CHECK(seen["status"] == "completed");
  CHECK_THAT(seen.value("reason", ""), !Contains("not started"));
}

TEST_CASE("a queued run has the sandbox that was configured where it was queued") {
  const TempDir dir;
  RuntimeOptions safe = options_in(dir, "project");
  safe.sandbox = "readonly";
  const std::string id = queue(safe, "touch written");
  Host host(options_in(dir, "project"));
  CHECK(ended(host, id)["status"] == "failed");
}

TEST_CASE("the next client of a session is told of what the one before queued") {
  const TempDir dir;
  RuntimeOptions options = options_in(dir, "project");
  options.session = "agent@";
  options.claim_session = true;
  const std::string first = queue(options, "sleep 600");
  const std::string second = queue(options, "true");
  Host host(options);
  CallRequest request{"bg_status", "{}", ""};
  request.wants_backlog = true;
  std::optional<CallResult> result;
  host.runtime->call(request, [&](CallResult got) { result = std::move(got); });
  REQUIRE(host.until([&] { return result.has_value(); }));
  REQUIRE(result->backlog.size() == 2);
  const Json told = Json::parse(result->backlog[0]);
  CHECK(told["event"] == "run_inherited");
  CHECK(told["run"] == first);
  CHECK(told["command"] == "sleep 600");
  CHECK(Json::parse(result->backlog[1])["run"] == second);
  result.reset();
  host.runtime->call(request, [&](CallResult got) { result = std::move(got); });
  REQUIRE(host.until([&] { return result.has_value(); }));
  CHECK(result->backlog.empty());
}

// Returns the events that come with the next answer.
std::vector<std::string> told(Host& host) {
  CallRequest request{"bg_output", R"({"id": "nobody"})", ""};
  request.wants_backlog = true;
  std::optional<CallResult> result;
  host.runtime->call(request, [&](CallResult got) { result = std::move(got); });
  REQUIRE(host.until([&] { return result.has_value(); }));
  return result->backlog;
}

TEST_CASE("a client is told once of what another process settled for its session meanwhile") {
  const TempDir dir;
  RuntimeOptions options = options_in(dir, "project");
  options.session = "agent@";
  options.claim_session = true;
  Host host(options);
  CHECK(told(host).empty());
  const std::string id = host.data("shell", {{"action", "spawn"}, {"command", "true"}})["run_id"];
  CHECK(ended(host, id)["status"] == "completed");
  REQUIRE(host.until([&] { return !told(host).empty(); }));
  const std::string session =
      Plain(options.state_dir + "/sessions.db").rows("SELECT client FROM exec_runs")[0];
  JournalOptions journal_options;
  journal_options.directory = options.state_dir;
  journal_options.worker_alive = Worker::is_alive;
  const SystemClock clock;
  const auto other = Journal::create(journal_options, clock);
  REQUIRE(other);
  for (std::uint64_t seq = 1; seq <= 2; ++seq) {
    const Json event = {{"event", "run_ended"}, {"run", id}, {"seq", seq}};
    BacklogMessage message{session, seq, id, "run_ended", event.dump()};
    message.elsewhere = true;
    REQUIRE((*other)->add_backlog(message) == Taken::kYes);
    std::vector<std::string> got;
    REQUIRE(host.until([&] {
      got = told(host);
      return !got.empty();
    }));
    REQUIRE(got.size() == 1);
    CHECK(Json::parse(got[0])["seq"] == seq);
    CHECK(told(host).empty());
  }
}

TEST_CASE("the end of a queued run is told once, whenever its host ended") {
  const TempDir dir;
  RuntimeOptions options = options_in(dir, "project");
  options.session = "agent@";
  options.claim_session = true;
  for (int round = 0; round < 5; ++round) {
    std::string id;
    {
      Host host(options);
      id = host.data("shell", {{"action", "spawn"}, {"command", "true"}})["run_id"];
      // It ends before, while or after the run starts.
      for (int turn = 0; turn < round * 2; ++turn) host.runtime->poll();
    }
    Host host(options);
    // Its own answer is about no run, so that only the events tell of the end.
    CallRequest request{"bg_output", R"({"id": "nobody"})", ""};
    request.wants_backlog = true;
    std::size_t ends = 0;
    REQUIRE(host.until([&] {
      std::optional<CallResult> result;
      host.runtime->call(request, [&](CallResult got) { result = std::move(got); });
      REQUIRE(host.until([&] { return result.has_value(); }));
      for (const std::string& text : result->backlog) {
        const Json event = Json::parse(text);
        if (event["event"] == "run_ended" && event["run"] == id) ++ends;
      }
      const Json status = poll(host, id)["status"];
      return status != "queued" && status != "starting" && status != "running" && ends > 0;
    }));
    CHECK(ends == 1);
  }
}

TEST_CASE("a run that a newer program queued is left to it, and the runs behind it wait") {
  const TempDir dir;
  const std::string id = queue(options_in(dir, "project"), "echo no");
  Plain plain(dir.path() + "/state/sessions.db");
  REQUIRE(
      plain.run("UPDATE exec_runs SET meta_json = json_set(meta_json, '$.start_version', 3,"
                " '$.start.later', 'kept')"));
  std::string behind;
  {
    Host host(options_in(dir, "project"));
    Json seen;
    REQUIRE(host.until([&] {
      seen = poll(host, id);
      return seen.contains("reason");
    }));
    CHECK(seen["status"] == "queued");
    CHECK_THAT(seen["reason"].get<std::string>(), Contains("a newer program (version 3"));
    behind = host.data("shell", {{"action", "spawn"}, {"command", "true"}})["run_id"];
    CHECK(poll(host, behind)["status"] == "queued");
  }
  CHECK(plain.rows("SELECT json_extract(meta_json, '$.start.later'), json_extract(meta_json,"
                   " '$.start_version') FROM exec_runs WHERE run_id = '" +
                   id + "'") == std::vector<std::string>{"kept|3"});
  // Once it is as this program knows it, it is started, and then the run behind it.
  REQUIRE(
      plain.run("UPDATE exec_runs SET meta_json = json_remove(meta_json, '$.start_version',"
                " '$.start.later')"));
  Host again(options_in(dir, "project"));
  CHECK(ended(again, id)["status"] == "completed");
  CHECK(ended(again, behind)["status"] == "completed");
}

TEST_CASE("a queued run is started by the shell of where it was queued") {
  const TempDir dir;
  const auto with_shell_of = [&](const std::string& shell) {
    RuntimeOptions options = options_in(dir, "project");
    options.files["config.lua"] = "return { shell = '" + shell + "' }";
    return options;
  };
  const std::string own = dir.path() + "/own-shell";
  fs::copy_file("/bin/sh", own);
  const std::string first = queue(with_shell_of(own), "echo $0 > first");
  const std::string second = queue(with_shell_of("/bin/sh"), "echo $0 > second");
  Plain plain(dir.path() + "/state/sessions.db");
  // As an earlier version has written it.
  REQUIRE(
      plain.run("UPDATE exec_runs SET meta_json = json_set(json_remove(meta_json,"
                " '$.queued.shell'), '$.start_version', 1) WHERE run_id = '" +
                second + "'"));
  fs::rename(own, own + ".away");
  {
    Host host(options_in(dir, "project"));
    Json seen;
    REQUIRE(host.until([&] {
      seen = poll(host, first);
      return seen.contains("reason");
    }));
    CHECK(seen["status"] == "queued");
    CHECK_THAT(seen["reason"].get<std::string>(), Contains(own + ", is not on this machine"));
  }
  fs::rename(own + ".away", own);
  Host host(options_in(dir, "project"));
  CHECK(ended(host, first)["status"] == "completed");
  CHECK(ended(host, second)["status"] == "completed");
  CHECK(read_file(dir.path() + "/project/first") == own + "\n");
  CHECK(read_file(dir.path() + "/project/second") == "/bin/sh\n");
}

}  // namespace
}  // namespace gibbous::testing
