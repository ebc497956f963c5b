// The toolset wait: the answers of wait_for for each condition and for each way to fail.
#include <optional>
#include <string>

#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous {
namespace {

using testing::auto_mode;
using testing::Host;
using testing::TempDir;

bool contains(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

Json first_fired(const CallResult& result) {
  INFO(result.message);
  REQUIRE(result.ok);
  const Json data = Json::parse(result.data);
  REQUIRE_FALSE(data["fired"].empty());
  return data["fired"][0];
}

TEST_CASE("wait_for answers with the line, its groups, its process and the next offset") {
  Host host(auto_mode());
  const std::string id = host.start("echo before; echo 'ready on 4242'; exec sleep 600");
  const CallResult result =
      host.call("wait_for", {{"id", id}, {"output_regex", "ready on (\\d+)"}});
  const Json fired = first_fired(result);
  CHECK(fired["kind"] == "regex");
  CHECK(fired["run"] == id);
  CHECK(fired["line"] == "ready on 4242");
  CHECK(fired["captures"] == Json::array({"4242"}));
  CHECK(fired["stream"] == "stdout");
  CHECK(fired["cursor"] == std::string("before\nready on 4242\n").size());
  CHECK(contains(result.text, "stdout of " + id + " has the line: ready on 4242"));
}

TEST_CASE("wait_for searches only one stream on request") {
  Host host(auto_mode());
  const std::string id = host.start("echo word; exec sleep 600");
  host.data("wait_for", {{"id", id}, {"output_regex", "word"}});
  const CallResult result = host.call(
      "wait_for", {{"id", id}, {"output_regex", "word"}, {"stream", "stderr"}, {"timeout", 50}});
  CHECK(result.code == "timeout");
  CHECK(contains(result.message, "\nword"));
}

TEST_CASE("wait_for fails at once with the last lines when its condition is impossible") {
  Host host(auto_mode());
  const std::string id = host.start("echo first; echo last; exit 3");
  const CallResult result = host.call("wait_for", {{"id", id}, {"output_regex", "never"}});
  CHECK(result.code == "cannot_happen");
  CHECK(contains(result.message, "exit code 3"));
  CHECK(contains(result.message, "first\nlast"));
}

TEST_CASE("wait_for names the process that ended, and how") {
  Host host(auto_mode());
  const std::string sleeper = host.start("exec sleep 600");
  const std::string failing = host.start("exit 7");
  const CallResult any = host.call("wait_for", {{"ids", {sleeper, failing}}, {"exit", true}});
  CHECK(first_fired(any)["run"] == failing);
  CHECK(contains(any.text, failing + " ended: failed, exit code 7"));
  CHECK(first_fired(any)["exit_code"] == 7);
  CHECK(first_fired(any)["state"] == "failed");
  const CallResult all = host.call(
      "wait_for", {{"ids", {sleeper, failing}}, {"exit", true}, {"mode", "all"}, {"timeout", 50}});
  CHECK(all.code == "timeout");
}

TEST_CASE("wait_for without an id fails once the only process that could help has failed") {
  const TempDir dir;
  const std::string go = dir.path() + "/go";
  Host host(auto_mode());
  const std::string gone = host.start("echo 'FATAL: no database' >&2; exit 3");
  REQUIRE(host.call("wait_for", {{"id", gone}, {"exit", true}}).ok);
  host.start("until [ -e " + go + " ]; do sleep 0.05; done; echo 'FATAL: port in use' >&2; exit 4");
  std::optional<CallResult> result;
  const Json port = {{"port", 1}};
  host.runtime->call({"wait_for", port.dump()}, [&](CallResult got) { result = std::move(got); });
  // By the time of its result, the wait before it has begun.
  host.call("bg_status", Json::object());
  dir.write("go", "");
  REQUIRE(host.until([&] { return result.has_value(); }));
  const CallResult failed = *result;
  CHECK(failed.code == "cannot_happen");
  CHECK(contains(failed.message, "the only process of this session, ended (exit code 4) first"));
  CHECK(contains(failed.message, "port in use"));
  // One that ends well may have started the server elsewhere.
  host.start("sleep 0.1");
  CHECK(host.call("wait_for", {{"port", 1}, {"timeout", 300}}).code == "timeout");
}

TEST_CASE("wait_for sees files, quiet times and timers") {
  Host host(auto_mode());
  const testing::TempDir dir;
  const std::string file = dir.path() + "/made";
  const std::string id = host.start("sleep 0.05; : > " + file + "; exec sleep 600");
  CHECK(first_fired(host.call("wait_for", {{"id", id}, {"file", file}}))["path"] == file);
  CHECK(first_fired(host.call("wait_for", {{"id", id}, {"quiet_ms", 20}}))["kind"] == "quiet");
  CHECK(first_fired(host.call("wait_for", {{"timer_ms", 1}}))["kind"] == "timer");
  const CallResult relative = host.call("wait_for", {{"file", "no/such/file"}, {"timeout", 20}});
  CHECK(contains(relative.message, "/no/such/file"));  // below the workspace
}

TEST_CASE("a wrong argument of wait_for is explained with the names of the arguments") {
  Host host(auto_mode());
  const std::string id = host.start("exec sleep 600");
  struct Row {
    Json args;
    const char* code;
    const char* message;
  };
  const Row rows[] = {
      {Json::object(), "invalid_arguments", "nothing to wait for"},
      {{{"output_regex", "x"}}, "invalid_arguments", "output_regex needs id"},
      {{{"id", id}, {"output_regex", "("}}, "invalid_arguments", "output_regex: missing )"},
      {{{"http", "gopher://x"}}, "invalid_arguments", "http: expected http://"},
      {{{"port", 70000}}, "invalid_arguments", "args.port: expected integer from 1 to 65535"},
      {{{"prt", 80}}, "invalid_arguments", "args.prt: unknown field; did you mean \"port\"?"},
      {{{"id", "nobody"}, {"exit", true}}, "run_not_found", "Process \"nobody\" not found"},
      {{{"timer_ms", 1}, {"timeout", 600001}},
       "invalid_arguments",
       "args.timeout: expected number"},
  };
  for (const Row& row : rows) {
    INFO(row.args.dump());
    const CallResult result = host.call("wait_for", row.args);
    CHECK(result.code == row.code);
    CHECK(contains(result.message, row.message));
  }
}

TEST_CASE("bg_kill ends the processes that a process left behind, and says so") {
  Host host(auto_mode());
  const std::string word = testing::unique_word();
  const std::string id =
      host.start("setsid sh -c 'sleep 600; : " + word + "' >/dev/null 2>&1 & echo done");
  host.data("wait_for", {{"id", id}, {"exit", true}});
  CHECK(host.until([&] {
    return contains(host.call("bg_status", {{"id", id}}).text, "left_behind=");
  }));
  const CallResult result = host.call("bg_kill", {{"id", id}});
  CHECK(contains(result.text, "had ended already (completed); killed what it left behind: "));
  CHECK(testing::processes_with(word).empty());
  CHECK(Json::parse(host.call("bg_kill", {{"id", id}}).data)["killed"] == false);
}

TEST_CASE("a result that is too long shows its end, and the omitted part can be read") {
  Host host(auto_mode());
  const std::string id = host.start("seq 1 20000");
  host.data("wait_for", {{"id", id}, {"exit", true}});
  std::string expected;
  for (int i = 1; i <= 20000; ++i) expected += std::to_string(i) + "\n";
  const Json last = host.data("bg_output", {{"id", id}, {"stream", "stdout"}});
  CHECK(last["truncated"] == true);
  REQUIRE(last["skipped"].size() == 1);
  const auto end = last["skipped"][0]["to"].get<std::size_t>();
  std::string text;
  while (text.size() < end) {
    const Json part =
        host.data("bg_output", {{"id", id}, {"stream", "stdout"}, {"from", text.size()}});
    const auto next = part["next"].get<std::size_t>();
    CHECK(part["more"].get<bool>() == (next != expected.size()));
    REQUIRE(next > text.size());
    text += part["stdout"].get<std::string>();
  }
  CHECK(text.substr(0, end) + last["stdout"].get<std::string>() == expected);
}

}  // namespace
}  // namespace gibbous
