// A run that is silent because its program keeps its output back says so, with the cure; one that
// is silent for another reason does not. The programs are the real ones.
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous::testing {
namespace {

using Catch::Matchers::Contains;

constexpr const char* kNote = "keeps its output back while it writes to a pipe";
// Longer than a run must be silent before anything is said of it.
constexpr int kSilentMs = 2300;

struct Silent {
  const char* command;
  const char* cure;
};

// Programs in a command line are asked about in other modes.
RuntimeOptions any_command() {
  RuntimeOptions options = with_shell();
  options.mode = "dangerous";
  return options;
}

// Starts them, waits until they have been silent for long enough, and returns what bg_output says.
std::vector<std::string> said_of(Host& host, const std::vector<Json>& starts) {
  std::vector<std::string> ids;
  for (const Json& start : starts) ids.push_back(host.data("bg_start", start)["id"]);
  host.data("wait_for", {{"timer_ms", kSilentMs}});
  std::vector<std::string> said;
  for (const std::string& id : ids) {
    host.call("bg_output", {{"id", id}});  // what it has printed is read
    const CallResult result = host.call("bg_output", {{"id", id}});
    const Json data = Json::parse(result.data);
    const bool hints = result.text.find(kNote) != std::string::npos;
    CHECK(data.contains("hint") == hints);
    said.push_back(result.text);
    host.call("bg_kill", {{"id", id}});
  }
  return said;
}

TEST_CASE("a silent run names the program that keeps its output back, and the cure") {
  const std::vector<Silent> runs = GENERATE(values<std::vector<Silent>>({
      {{R"(perl -e 'print "ready\n"; sleep 600')", "perl keeps"},
       {R"(perl -e 'warn "busy\n"; print "ready\n"; sleep 600'; true)", "$| = 1"},
       {"(echo ready; sleep 600) | grep ready", "grep --line-buffered"},
       {"(echo ready; sleep 600) | grep ready | cat", "grep --line-buffered"},
       {"(echo ready; sleep 600) | sed s/ready/steady/", "sed -u"}},
      {{"(echo ready; sleep 600) | awk '{ print $1 }'", "awk keeps"},
       {"(echo ready; sleep 600) | tr a b", "stdbuf -oL"},
       {R"(env -u PYTHONUNBUFFERED python3 -c 'import time; print("ready"); time.sleep(600)')",
        "python -u"},
       {R"(python3 -E -c 'import time; print("ready"); time.sleep(600)')", "python -u"},
       {"echo starting; (echo ready; sleep 600) | cut -c1-3", "cut keeps"}},
  }));
  Host host(any_command());
  std::vector<Json> starts;
  for (const Silent& run : runs) starts.push_back({{"command", run.command}});
  const std::vector<std::string> said = said_of(host, starts);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    INFO(runs[i].command);
    CHECK_THAT(said[i], Contains(kNote) && Contains(runs[i].cure));
    CHECK(said[i].find(kNote) == said[i].rfind(kNote));
  }
}

// Rows about programs that a machine may lack.
struct Optional {
  const char* program;
  Silent run;
};

TEST_CASE("programs that are installed here, of the rest of the table, are named as well") {
  const std::vector<Optional> rows = {
      {"jq", {"(echo 1; sleep 600) | jq .", "jq --unbuffered"}},
      {"uniq", {"(echo a; echo b; sleep 600) | uniq", "stdbuf -oL"}},
      {"fold", {"(echo ready; sleep 600) | fold", "stdbuf -oL"}},
      {"nl", {"(echo ready; sleep 600) | nl", "stdbuf -oL"}},
      {"lua5.1", {R"(lua5.1 -e 'print("ready"); os.execute("exec sleep 600")')", "setvbuf"}},
      {"gawk", {"(echo ready; sleep 600) | gawk '{ print $1 }'", "fflush()"}},
      {"original-awk", {"(echo ready; sleep 600) | original-awk '{ print $1 }'", "fflush()"}},
      {"ruby", {R"(ruby -e 'puts "ready"; sleep 600')", "$stdout.sync"}},
      {"pypy3", {R"(pypy3 -E -c 'import time; print("ready"); time.sleep(600)')", "python -u"}},
  };
  Host host(any_command());
  std::vector<Silent> runs;
  std::vector<Json> starts;
  for (const Optional& row : rows) {
    const Json look = {{"command", "command -v " + std::string(row.program)}};
    if (host.data("shell", look)["exit_code"] != 0) {
      WARN(row.program << " is not installed: its row is not tested");
      continue;
    }
    runs.push_back(row.run);
    starts.push_back({{"command", row.run.command}});
  }
  const std::vector<std::string> said = said_of(host, starts);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    INFO(runs[i].command);
    CHECK_THAT(said[i], Contains(kNote) && Contains(runs[i].cure));
  }
}

TEST_CASE("the toolsets process and background tell why a run is silent, too") {
  RuntimeOptions options = any_command();
  options.toolsets = {"bg", "wait", "process", "background"};
  Host host(options);
  const std::string id = host.start(R"(perl -e 'print "ready\n"; sleep 600')");
  host.data("wait_for", {{"timer_ms", kSilentMs}});
  const Json asked = {{"action", "output"}, {"pid", id}};
  CHECK_THAT(host.call("process", asked).text, Contains(kNote));
  CHECK(host.data("process", asked).contains("hint"));
  CHECK_THAT(host.call("read_process_output", {{"id", id}}).text, Contains(kNote));
  CHECK(host.data("read_process_output", {{"id", id}}).contains("hint"));
  const Json line = {{"id", id}, {"output_regex", "ready"}, {"timeout", 1}};
  CHECK_THAT(host.call("wait_for_service", line).message, Contains(kNote));
  const Json port = {{"id", id}, {"port", 1}, {"timeout", 1}};
  CHECK_THAT(host.call("wait_for_service", port).message, Contains(kNote));

  const std::string loud = host.start("echo ready; exec sleep 600");
  host.data("wait_for", {{"id", loud}, {"output_regex", "ready"}});
  CHECK_FALSE(host.data("read_process_output", {{"id", loud}}).contains("hint"));
}

TEST_CASE("a run that writes at once, or has nothing to write yet, gets no such note") {
  const std::vector<Json> runs = GENERATE(values<std::vector<Json>>({
      {{{"command", "exec " + fixture("http_server") + " 0 >/dev/null"}},
       {{"command", R"(python3 -c 'import time; time.sleep(600)')"}},
       {{"command", R"(env -u PYTHONUNBUFFERED python3 -u -c 'import time; time.sleep(600)')"}},
       {{"command", "perl -e '$| = 1; sleep 600'"}},
       {{"command", "sleep 600 | grep --line-buffered ready"}}},
      {{{"command", R"(perl -e 'print "ready\n"; sleep 600')"}, {"pty", true}},
       {{"command", "sleep 600 | sed -nu p"}},
       {{"command", "sleep 600 | stdbuf -oL tr a b"}},
       {{"command", R"(perl -e 'syswrite STDOUT, "ready\n"; sleep 600')"}},
       {{"command", "x=$(perl -e 'sleep 600')"}}},
      {{{"command", R"(perl -e 'warn "busy\n"; sleep 600' 2>/dev/null)"}}},
  }));
  Host host(any_command());
  const std::vector<std::string> said = said_of(host, runs);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    INFO(runs[i].dump());
    CHECK_THAT(said[i], !Contains(kNote));
  }
}

TEST_CASE("a filter that waits for the run's stdin has nothing to write yet") {
  Host host(any_command());
  const CallResult result =
      host.call("bg_start", {{"command", "exec grep ready"}, {"until", {{"input", true}}}});
  const std::string id = Json::parse(result.data)["id"];
  host.data("wait_for", {{"timer_ms", kSilentMs}});
  CHECK_THAT(host.call("bg_output", {{"id", id}}).text, !Contains(kNote));
}

TEST_CASE("a wait that times out says why no output came, and only then") {
  Host host(any_command());
  const std::string perl = host.start(R"(perl -e 'print "ready\n"; sleep 600')");
  const std::string loud =
      host.start(R"(perl -e '$| = 1; print "up\n"; $| = 0; print "ready\n"; sleep 600')");
  const Json ready = {{"id", perl}, {"output_regex", "ready"}, {"timeout", kSilentMs}};
  const CallResult line = host.call("wait_for", ready);
  CHECK(line.code == "timeout");
  CHECK_THAT(line.message, Contains(kNote) && Contains("$| = 1"));
  const Json end = {{"id", perl}, {"exit", true}, {"timeout", 1}};
  CHECK_THAT(host.call("wait_for", end).message, Contains(kNote));
  // This one has printed, and the wait is not about output.
  const Json other = {{"id", loud}, {"exit", true}, {"timeout", 1}};
  CHECK_THAT(host.call("wait_for", other).message, !Contains(kNote));
  const Json quiet = {{"id", perl}, {"quiet_ms", 1}};
  CHECK_THAT(host.call("wait_for", quiet).text, Contains("is quiet") && Contains(kNote));
  const Json poll = {{"action", "poll"}, {"run_id", perl}};
  CHECK_THAT(host.call("shell", poll).text, Contains(kNote));
  CHECK(host.data("shell", poll).contains("hint"));
}

TEST_CASE("a start that waits in vain for a line says why, once") {
  Host host(any_command());
  const Json start = {{"command", R"(perl -e 'print "ready\n"; sleep 600')"},
                      {"until", {{"line", "ready"}, {"timeout", kSilentMs}}}};
  const CallResult result = host.call("bg_start", start);
  CHECK_THAT(result.text, Contains(kNote) && !Contains("No output yet"));
  CHECK(Json::parse(result.data)["until"].contains("hint"));
  CHECK(result.text.find(kNote) == result.text.rfind(kNote));
}

TEST_CASE("a run that has just begun is not called silent") {
  Host host(any_command());
  const std::string id = host.start("perl -e 'sleep 600'");
  CHECK_THAT(host.call("bg_output", {{"id", id}}).text, !Contains(kNote));
}

}  // namespace
}  // namespace gibbous::testing
