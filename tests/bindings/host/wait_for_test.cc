// The toolset wait: what wait_for answers, for each condition and for each way of not coming true.
#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous {
namespace {

using testing::auto_mode;
using testing::Host;

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

TEST_CASE("wait_for answers with the line, its groups, its process and where to read on") {
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

TEST_CASE("wait_for looks at one stream only when asked to") {
  Host host(auto_mode());
  const std::string id = host.start("echo word; exec sleep 600");
  host.data("wait_for", {{"id", id}, {"output_regex", "word"}});
  const CallResult result = host.call(
      "wait_for", {{"id", id}, {"output_regex", "word"}, {"stream", "stderr"}, {"timeout", 50}});
  CHECK(result.code == "timeout");
  CHECK(contains(result.message, "\nword"));
}

TEST_CASE("wait_for fails at once with the last lines when it cannot come true any more") {
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
  const CallResult all = host.call(
      "wait_for", {{"ids", {sleeper, failing}}, {"exit", true}, {"mode", "all"}, {"timeout", 50}});
  CHECK(all.code == "timeout");
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

TEST_CASE("a wrong argument of wait_for is explained in terms of the arguments") {
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

TEST_CASE("bg_kill ends what a process left behind, and says so") {
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

TEST_CASE("a result that is too long shows its end, and the skipped part can be read") {
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
