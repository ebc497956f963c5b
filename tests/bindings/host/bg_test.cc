// The toolset bg as its specification describes it: names, texts, and every row of its table of
// edge cases.
#include <re2/re2.h>

#include "tests/support/catch.h"
#include "tests/support/host.h"

namespace gibbous {
namespace {

using testing::auto_mode;
using testing::Host;

bool matches(const std::string& text, const std::string& pattern) {
  INFO(text);
  return RE2::PartialMatch(text, pattern);
}

Json until_ended(Host& host, const std::string& id) {
  return host.data("wait_for", {{"id", id}, {"exit", true}});
}

// Returns all of one stream so far, read in pieces.
std::string read_all(Host& host, const std::string& id) {
  return host.call("bg_output", {{"id", id}}).text;
}

TEST_CASE("commands and labels are shown on one line, with their control characters visible") {
  RuntimeOptions options = auto_mode();
  options.mode = "dangerous";  // other modes ask about control characters
  Host host(options);
  const CallResult started =
      host.call("bg_start", {{"command", "true\n# \x1b[31m\ttwo"}, {"label", "a\nb\x07"}});
  CHECK(started.text.find(R"(cmd="true\n# \x1b[31m\ttwo")") != std::string::npos);
  CHECK(Json::parse(started.data)["command"] == "true\n# \x1b[31m\ttwo");
  const std::string status = host.call("bg_status", Json::object()).text;
  CHECK(status.find(R"(label="a\nb\x07")") != std::string::npos);
  CHECK(status.find('\n') == std::string::npos);
}

TEST_CASE("bg_start explains why a command is refused, and accepts any timeout") {
  Host host(auto_mode());
  for (const char* command : {"", "echo a\\u0000b"}) {
    const CallResult refused =
        host.call("bg_start", Json::parse(std::string("{\"command\":\"") + command + "\"}"));
    CHECK(refused.code == "invalid_arguments");
    CHECK(refused.message.find("command: ") != std::string::npos);
    CHECK(refused.traceback.empty());
  }
  CHECK(host.call("bg_start", {{"command", "true"}, {"timeout", 1e300}}).ok);
  CHECK(host.call("bg_start", {{"command", "true"}, {"timeout", 0.5}}).ok);
}

TEST_CASE("bg_start answers with id, pid and command") {
  Host host(auto_mode());
  const CallResult result = host.call("bg_start", {{"command", "echo bg-test"}});
  REQUIRE(result.ok);
  REQUIRE(matches(result.text,
                  "^Process started: id=[A-Za-z0-9_-]{8} pid=[0-9]+ cmd=\"echo bg-test\"$"));
  const Json data = Json::parse(result.data);
  REQUIRE(data["id"].get<std::string>().size() == 8);
  REQUIRE(data["pid"].get<int>() > 0);
}

TEST_CASE("bg_status answers with state, pid and runtime") {
  Host host(auto_mode());
  const std::string id = host.start("exec sleep 600");
  const CallResult result = host.call("bg_status", {{"id", id}});
  REQUIRE(
      matches(result.text,
              "^id=" + id + " state=running pid=[0-9]+ runtime=[0-9.]+s cmd=\"exec sleep 600\""));
}

TEST_CASE("bg_status without an id lists every process with its label") {
  Host host(auto_mode());
  host.data("bg_start", {{"command", "exec sleep 600"}, {"label", "first"}});
  host.data("bg_start", {{"command", "exec sleep 600"}, {"label", "second"}});
  const CallResult result = host.call("bg_status", Json::object());
  REQUIRE(result.text.find("first") != std::string::npos);
  REQUIRE(result.text.find("second") != std::string::npos);
}

TEST_CASE("bg_status of a wrong id says that the process was not found") {
  Host host(auto_mode());
  const CallResult result = host.call("bg_status", {{"id", "bogus"}});
  REQUIRE(!result.ok);
  REQUIRE(result.code == "run_not_found");
  REQUIRE(result.message.find("Process \"bogus\" not found") == 0);
}

TEST_CASE("a command that succeeds ends as completed with exit code 0") {
  Host host(auto_mode());
  const std::string id = host.start("echo done");
  until_ended(host, id);
  const CallResult result = host.call("bg_status", {{"id", id}});
  REQUIRE(matches(result.text, "state=completed"));
  REQUIRE(Json::parse(result.data).dump().find("\"exit_code\":0") != std::string::npos);
}

TEST_CASE("bg_output returns both streams under their names") {
  Host host(auto_mode());
  const std::string id = host.start("echo line1; echo line2; echo 'warning: x' >&2");
  until_ended(host, id);
  REQUIRE(host.call("bg_output", {{"id", id}}).text ==
          "[stdout]\nline1\nline2\n[stderr]\nwarning: x\n");
}

TEST_CASE("bg_output returns one stream on request") {
  Host host(auto_mode());
  const std::string id = host.start("echo out; echo err >&2");
  until_ended(host, id);
  const std::string text = host.call("bg_output", {{"id", id}, {"stream", "stderr"}}).text;
  REQUIRE(text.find("err") != std::string::npos);
  REQUIRE(text.find("out\n") == std::string::npos);
}

TEST_CASE("bg_output returns the output since the last read, and nothing twice") {
  Host host(auto_mode());
  testing::Host& h = host;
  const std::string id = host.start("echo line1; printf par; read go; echo tial; echo line3");
  host.data("wait_for", {{"id", id}, {"output_regex", "par"}});
  const std::string first = read_all(h, id);
  REQUIRE(first.find("line1") != std::string::npos);
  REQUIRE(first.find("par") != std::string::npos);
  // stdin is /dev/null, so `read` fails at once and the rest follows.
  until_ended(host, id);
  const std::string second = read_all(h, id);
  REQUIRE(second.find("line1") == std::string::npos);
  REQUIRE((first + second).find("line3") != std::string::npos);
}

TEST_CASE("a session sees and kills no run of another session, and the host sees all of them") {
  Host host(auto_mode());
  const std::string id = host.data("bg_start", {{"command", "echo mine; sleep 1000"}}, "a")["id"];
  host.data("wait_for", {{"id", id}, {"output_regex", "mine"}}, "a");
  for (const char* tool : {"bg_status", "bg_output", "bg_kill"}) {
    const CallResult refused = host.call(tool, {{"id", id}}, "b");
    CHECK(refused.code == "run_not_found");
    CHECK(refused.message.find("Did you mean") == std::string::npos);
  }
  // A wrong id is refused with the nearest one of the session.
  const std::string wrong = "_" + id.substr(1);
  CHECK(host.call("bg_status", {{"id", wrong}}, "a").message.find("Did you mean \"" + id) !=
        std::string::npos);
  CHECK(host.call("bg_status", {{"id", wrong}}, "b").message.find(id) == std::string::npos);
  const CallResult waited = host.call("wait_for", {{"id", id}, {"exit", true}}, "b");
  CHECK(waited.code == "run_not_found");
  CHECK(host.data("bg_status", Json::object(), "b")["processes"].empty());
  CHECK(host.data("bg_status", Json::object(), "a")["processes"].size() == 1);
  CHECK(host.call("bg_output", {{"id", id}}).text.find("mine") != std::string::npos);
  CHECK(host.data("bg_kill", {{"id", id}}, "a")["killed"] == true);
}

TEST_CASE("bg_output returns the last lines when the caller does not ask for new ones") {
  Host host(auto_mode());
  const std::string id = host.start("seq 1 20");
  until_ended(host, id);
  const std::string text =
      host.call("bg_output",
                {{"id", id}, {"lines", 5}, {"since_last_read", false}, {"stream", "stdout"}})
          .text;
  REQUIRE(text.find("16\n17\n18\n19\n20") != std::string::npos);
  REQUIRE(text.find("15") == std::string::npos);
  const std::string whole = host.call("bg_output", {{"id", id}, {"since_last_read", false}}).text;
  REQUIRE(whole.find("\n1\n") != std::string::npos);
}

TEST_CASE("output that exceeds the buffer is marked as truncated, with a note of what is missing") {
  Host host(auto_mode());
  const std::string id = host.start("yes line | head -c 3000000; echo END");
  until_ended(host, id);
  const Json data = host.data("bg_output", {{"id", id}});
  REQUIRE(data["truncated"] == true);
  const Json tail = host.data("bg_output", {{"id", id}, {"since_last_read", false}, {"lines", 2}});
  REQUIRE(tail.dump().find("END") != std::string::npos);
}

TEST_CASE("output without any newline is bounded and truncated as well") {
  Host host(auto_mode());
  const std::string id = host.start("head -c 3000000 /dev/zero | tr '\\0' x");
  until_ended(host, id);
  REQUIRE(host.data("bg_output", {{"id", id}})["truncated"] == true);
}

TEST_CASE("output that is not UTF-8 becomes valid text") {
  Host host(auto_mode());
  const std::string id = host.start("printf 'a\\377\\376b\\n'");
  until_ended(host, id);
  const CallResult result = host.call("bg_output", {{"id", id}});
  REQUIRE(result.ok);
  REQUIRE(result.text.find("a\xEF\xBF\xBD") != std::string::npos);
}

TEST_CASE("reading again without new output returns empty streams") {
  Host host(auto_mode());
  const std::string id = host.start("echo once");
  until_ended(host, id);
  read_all(host, id);
  REQUIRE(host.call("bg_output", {{"id", id}}).text.find("once") == std::string::npos);
}

TEST_CASE("bg_kill ends a process and says how long it ran") {
  Host host(auto_mode());
  const std::string id = host.start("exec sleep 600");
  const CallResult result = host.call("bg_kill", {{"id", id}});
  REQUIRE(matches(result.text, "^Process " + id + " killed \\(was running for [0-9.]+s\\)"));
  REQUIRE(matches(host.call("bg_status", {{"id", id}}).text, "state=killed"));
}

TEST_CASE("bg_kill of a dead process returns false without an error") {
  Host host(auto_mode());
  const std::string id = host.start("true");
  until_ended(host, id);
  const CallResult result = host.call("bg_kill", {{"id", id}});
  REQUIRE(result.ok);
  REQUIRE(Json::parse(result.data)["killed"] == false);
}

TEST_CASE("a process that outlives its timeout ends as timeout, not as killed") {
  Host host(auto_mode());
  const Json started = host.data("bg_start", {{"command", "exec sleep 600"}, {"timeout", 100}});
  until_ended(host, started["id"]);
  REQUIRE(matches(host.call("bg_status", {{"id", started["id"]}}).text, "state=timeout"));
}

TEST_CASE("timeout 0 means no limit") {
  Host host(auto_mode());
  const Json started = host.data("bg_start", {{"command", "exec sleep 600"}, {"timeout", 0}});
  REQUIRE(matches(host.call("bg_status", {{"id", started["id"]}}).text, "state=running"));
}

TEST_CASE("bg_start beyond the limit says to kill one first") {
  Host host(auto_mode());
  for (int i = 0; i < 5; ++i) host.start("exec sleep 600");
  const CallResult result = host.call("bg_start", {{"command", "true"}});
  REQUIRE(!result.ok);
  REQUIRE(result.code == "too_many_runs");
  REQUIRE(result.message.find("concurrent") != std::string::npos);
  REQUIRE(result.message.find("bg_kill") != std::string::npos);
}

TEST_CASE("bg_start without a command names the field") {
  Host host(auto_mode());
  const CallResult result = host.call("bg_start", Json::object());
  REQUIRE(result.code == "invalid_arguments");
  REQUIRE(result.message.find("command") != std::string::npos);
  const CallResult wrong = host.call("bg_kill", {{"id", "x"}, {"signal", "SIGFOO"}});
  REQUIRE(wrong.code == "invalid_arguments");
  REQUIRE(wrong.message.find("SIGTERM") != std::string::npos);
}

TEST_CASE("the permission matrix of the modes is enforced") {
  struct Row {
    const char* mode;
    const char* start;
    const char* status;
    const char* kill;
  };
  constexpr Row kRows[] = {{"default", "needs_approval", "", "needs_approval"},
                           {"auto", "", "", "run_not_found"},
                           {"plan", "denied", "", "denied"},
                           {"dangerous", "", "", "run_not_found"},
                           {"ci", "denied", "denied", "denied"}};
  for (const Row& row : kRows) {
    INFO(row.mode);
    RuntimeOptions options = auto_mode();
    options.mode = row.mode;
    Host host(options);
    REQUIRE(host.call("bg_start", {{"command", "true"}}).code == row.start);
    REQUIRE(host.call("bg_status", Json::object()).code == row.status);
    REQUIRE(host.call("bg_kill", {{"id", "AAAAAAAA"}}).code == row.kill);
  }
}

TEST_CASE("an approver decides about the asks of the matrix") {
  RuntimeOptions options = auto_mode();
  options.mode = "default";
  Host host(options);
  bool allow = true;
  std::string asked;
  host.runtime->on_ask([&](const AskRequest& ask) {
    asked = ask.tool;
    ask.answer(allow, "because the test says so");
  });
  REQUIRE(host.call("bg_start", {{"command", "true"}}).ok);
  REQUIRE(asked == "bg_start");
  allow = false;
  const CallResult denied = host.call("bg_start", {{"command", "true"}});
  REQUIRE(denied.code == "denied");
}

TEST_CASE("the deny list holds in every mode") {
  for (const char* mode : {"auto", "dangerous"}) {
    RuntimeOptions options = auto_mode();
    options.mode = mode;
    Host host(options);
    const CallResult result = host.call("bg_start", {{"command", "rm -rf /"}});
    INFO(result.text);
    REQUIRE(result.code == "denied");
  }
}

}  // namespace
}  // namespace gibbous
