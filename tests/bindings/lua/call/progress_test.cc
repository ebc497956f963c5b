// What a call that waits reports: real runs, through the keeper, looked at every millisecond.
#include "bindings/lua/call/progress_reports.h"

#include <sys/stat.h>

#include <algorithm>
#include <fstream>

#include "runtime/keeper/client.h"
#include "runtime/runs/runs.h"
#include "runtime/wait/waits.h"
#include "tests/bindings/lua/call/engine_fixture.h"

using gibbous::AskRequest;
using gibbous::CallId;
using gibbous::Json;
using gibbous::Millis;
using gibbous::Nanos;
using gibbous::Progress;
using gibbous::Runs;
using gibbous::RunsOptions;
using gibbous::Waits;
using gibbous::lua::ProgressPace;
using gibbous::lua::ProgressReports;
using gibbous::lua::WaitingFor;
using gibbous::testing::contains;
using gibbous::testing::World;

namespace {

constexpr char kWaitingTools[] =
    "local function start(script, label)\n"
    "  return assert(run.start({ argv = { 'sh', '-c', script }, label = label }))\n"
    "end\n"
    "define('prints', function(args)\n"
    "  local h = start(args.script)\n"
    "  h:wait({ wait.exit(h) })\n"
    "  return 'ended'\n"
    "end)\n"
    "define('two', function(args)\n"
    "  local a, b = start(args.a, 'web'), start(args.b)\n"
    "  wait { all = { wait.exit(a), wait.exit(b) } }\n"
    "  return 'ended'\n"
    "end)\n"
    "define('sleeps', function() time.sleep(1e6) return '' end)\n"
    "define('outer', function(args) return tool.call('prints', args) and '' or '' end)\n"
    "define('says', function()\n"
    "  tool.progress(1, 4, 'one of four') time.sleep(1e6) return ''\n"
    "end)\n";

class WaitingWorld : public World {
 public:
  WaitingWorld() {
    RunsOptions runs_options;
    runs_options.limits.kill_grace = Millis{200};
    runs_options.workspace = dir.path();
    runs_options.env = {"PATH=/usr/bin:/bin"};
    runs_options.keeper_path = gibbous::testing::program_directory() + "/gibbous-keeper";
    auto made = Runs::create(loop.get(), clock, runs_options);
    REQUIRE(made.ok());
    runs = std::move(*made);
    waits = Waits::create(loop.get(), clock, *runs);
    context.runs = runs.get();
    context.waits = waits.get();
    options.progress = {Millis{1}, Millis{1}};
    start(kWaitingTools);
  }
  ~WaitingWorld() {
    engine.reset();
    int open = 2;
    waits->close([&] { --open; });
    runs->close([&] { --open; });
    CHECK(loop.until([&] { return open == 0; }));
  }

  // Waits for a report with this message, while the call goes on.
  bool reports(CallId id, const std::string& message) {
    return until([&] {
             return results.count(id) != 0 ||
                    (!progress[id].empty() && progress[id].back().message == message);
           }) &&
           results.count(id) == 0;
  }
  bool prints(const std::string& script, const std::string& message) {
    const CallId id = begin("prints", Json{{"script", script}}.dump());
    const bool told = reports(id, message);
    if (!told && !progress[id].empty()) UNSCOPED_INFO("last: " << progress[id].back().message);
    engine->cancel(id);
    finish(id);
    return told;
  }

  std::unique_ptr<Runs> runs;
  std::unique_ptr<Waits> waits;
};

bool increases(const std::vector<Progress>& all) {
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (!(all[i].progress > all[i - 1].progress)) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("a call that waits reports so, with amounts that increase, until it is cancelled") {
  WaitingWorld world;
  const CallId id = world.begin("sleeps");
  REQUIRE(world.until([&] { return world.progress[id].size() >= 5; }));
  CHECK(increases(world.progress[id]));
  for (const Progress& each : world.progress[id]) {
    CHECK(each.waiting);
    CHECK(each.message.empty());
    CHECK_FALSE(each.total.has_value());
  }
  world.engine->cancel(id);
  CHECK(world.finish(id).code == "cancelled");  // the fixture refuses a report after it
  const std::size_t told = world.progress[id].size();
  world.run("prints", R"({"script":"exit 0"})");
  CHECK(world.progress[id].size() == told);
}

TEST_CASE("the message of a wait is the last line of the run that is waited for") {
  WaitingWorld world;
  CHECK(world.prints("echo first; echo second; exec sleep 600", "second"));
  CHECK(world.prints("echo out; echo 'to stderr' >&2; exec sleep 600", "out"));
  CHECK(world.prints("echo 'to stderr' >&2; exec sleep 600", "to stderr"));
  CHECK(world.prints("printf 'text\\n\\n  \\n'; exec sleep 600", "text"));
  CHECK(world.prints("printf 'a\\r\\nlast\\r\\n'; exec sleep 600", "last"));
}

TEST_CASE("the stream that printed last has the last line, also when nothing more comes") {
  WaitingWorld world;
  const std::string gate = world.dir.path() + "/gate";
  REQUIRE(::mkfifo(gate.c_str(), 0600) == 0);
  const Json script = {{"script", "echo out; read go < gate; echo err >&2; exec sleep 600"}};
  const CallId id = world.begin("prints", script.dump());
  REQUIRE(world.reports(id, "out"));
  std::ofstream(gate) << "go\n";
  REQUIRE(world.reports(id, "err"));
  world.progress[id].clear();
  REQUIRE(world.until([&] { return world.progress[id].size() >= 5; }));
  for (const Progress& each : world.progress[id]) CHECK(each.message == "err");
}

TEST_CASE("a line without an end is the message once it has not changed for a while") {
  WaitingWorld world;
  CHECK(world.prints("echo done; printf 'Continue? '; exec sleep 600", "Continue?"));
  CHECK(world.prints("printf '10%%\\r20%%'; exec sleep 600", "20%"));
}

TEST_CASE("the message is one short line of text, without control characters and secrets") {
  WaitingWorld world;
  CHECK(world.prints("printf '\\033[31mred\\033[0m\\ttab\\007\\n'; exec sleep 600", "red tab"));
  CHECK(world.prints("printf 'a\\342\\200\\256b\\302\\205c\\n'; exec sleep 600", "abc"));
  CHECK(world.prints("printf 'bad \\377 byte\\n'; exec sleep 600", "bad \xEF\xBF\xBD byte"));
  CHECK(world.prints("echo password=hunter2hunter2; exec sleep 600", "password=***"));
  CHECK(world.prints("printf '%s\\n' '-----BEGIN PRIVATE KEY-----' MIIEvQIBADANBg; exec sleep 600",
                     "***"));
  CHECK(world.prints("printf '%0300d\\n' 0; exec sleep 600", std::string(200, '0') + "..."));
  // The letter has two bytes, and the limit falls between them.
  CHECK(world.prints("printf '%0199d\\303\\244\\n' 0; exec sleep 600",
                     std::string(199, '0') + "..."));
}

TEST_CASE("a line of which not all is kept in sight is no message") {
  WaitingWorld world;
  const CallId id = world.begin("prints", R"({"script":"printf 'x%09000d\\n' 0; exec sleep 600"})");
  REQUIRE(world.until([&] { return world.progress[id].size() >= 20; }));
  for (const Progress& each : world.progress[id]) CHECK(each.message.empty());
}

TEST_CASE("with several runs, the message names the one that printed last") {
  WaitingWorld world;
  const CallId spoken =
      world.begin("two", R"({"a":"echo hello; exec sleep 600","b":"exec sleep 600"})");
  CHECK(world.reports(spoken, "web: hello"));
}

TEST_CASE("a call that waits for another call reports what that one waits for") {
  WaitingWorld world;
  const CallId id = world.begin("outer", R"({"script":"echo inner; exec sleep 600"})");
  CHECK(world.reports(id, "inner"));
}

TEST_CASE("a call that waits for an approval says so") {
  WaitingWorld world;
  world.policy(
      "return { modes = { default = {} }, decide = function()\n"
      "  return { decision = 'ask', rule = 'r', reason = 'sure?' }\n"
      "end }\n");
  REQUIRE(world.engine->reload().ok);
  std::vector<AskRequest> asked;
  world.engine->host.approver = [&](AskRequest request) { asked.push_back(std::move(request)); };
  const CallId id = world.begin("sleeps");
  CHECK(world.reports(id, "waiting for approval"));
  REQUIRE(asked.size() == 1);
  asked.front().answer(true, "");
  asked.clear();
  world.progress[id].clear();
  CHECK(world.until([&] { return !world.progress[id].empty(); }));
}

TEST_CASE("what a script reports goes on while it waits, with its total") {
  WaitingWorld world;
  const CallId id = world.begin("says");
  // Before its script runs, a call may wait for its turn long enough to report so.
  const std::vector<Progress>& all = world.progress[id];
  const auto said = [&all] {
    return std::find_if(all.begin(), all.end(), [](const Progress& each) { return !each.waiting; });
  };
  REQUIRE(world.until([&] { return all.end() - said() >= 3; }));
  CHECK(increases(all));
  CHECK(said()->progress == 1);
  for (auto each = said(); each != all.end(); ++each) {
    CHECK(each->total == 4);
    CHECK(each->message == "one of four");
    CHECK(each->progress < 1.1);
  }
  CHECK(said()[2].waiting);
}

TEST_CASE("a wait reports on after a reload, and ends with the engine") {
  WaitingWorld world;
  const CallId id = world.begin("prints", R"({"script":"echo here; exec sleep 600"})");
  REQUIRE(world.reports(id, "here"));
  REQUIRE(world.engine->reload().ok);
  world.progress[id].clear();
  CHECK(world.reports(id, "here"));
  world.engine.reset();
  CHECK(world.results[id].code == "shutdown");
}

TEST_CASE("a caller that wants no progress of a wait gets none") {
  WaitingWorld world;
  gibbous::CallRequest request;
  request.tool = "sleeps";
  bool done = false;
  world.engine->call(
      100, request, [&](const gibbous::CallResult&) { done = true; },
      [&](const Progress&) { FAIL("progress was not requested"); });
  const CallId other = world.begin("sleeps");
  REQUIRE(world.until([&] { return world.progress[other].size() >= 3; }));
  world.engine->cancel(100);
  CHECK(world.until([&] { return done; }));
}

TEST_CASE("reports keep to their pace: a new line at each look, the same one when it is time") {
  const ProgressPace pace;
  const auto at = [](int ms) { return std::chrono::duration_cast<Nanos>(Millis{ms}); };
  const auto redact = [](std::string_view text) { return std::string(text); };
  WaitingFor nothing;
  ProgressReports reports(Nanos{0});
  CHECK_FALSE(reports.due(nothing, nullptr, redact, pace, at(999)));
  CHECK_FALSE(reports.due(nothing, nullptr, redact, pace, at(4'999)));
  const auto first = reports.due(nothing, nullptr, redact, pace, at(5'000));
  REQUIRE(first);
  CHECK(first->progress == 5);
  CHECK_FALSE(reports.due(nothing, nullptr, redact, pace, at(6'000)));
  WaitingFor answer;
  answer.answer = true;
  const auto asked = reports.due(answer, nullptr, redact, pace, at(7'040));
  REQUIRE(asked);
  CHECK(asked->progress == 7);
  CHECK(asked->message == "waiting for approval");
  CHECK_FALSE(reports.due(answer, nullptr, redact, pace, at(8'000)));
  CHECK(reports.due(answer, nullptr, redact, pace, at(12'040)));
  // The script speaks late, of an amount below the seconds.
  const Progress said = reports.said({1, 3, "one of three"}, at(13'000));
  CHECK(said.progress > 12);
  CHECK_FALSE(said.total.has_value());
  CHECK(said.message == "one of three");
}
