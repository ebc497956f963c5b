// No answer is longer than its budget, whatever a run printed: what is left out is named with the
// call that reads it, and errors are among what is shown.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous::testing {
namespace {

constexpr std::size_t kMaxChars = 8000;
// Both streams flood, and the error is in the middle of one.
constexpr const char* kFlood =
    "seq -f 'line %05g of out' 3000; echo 'FATAL: no database'; seq -f 'line %05g of out' 3000; "
    "seq -f 'line %05g of err' 6000 >&2; exit 3";

RuntimeOptions all_toolsets(const TempDir& dir) {
  RuntimeOptions options = auto_mode();
  options.state_dir = dir.path() + "/state";
  options.workspace = dir.path();
  options.toolsets = {"bg", "wait", "lean", "shell", "process", "background", "safe_shell"};
  return options;
}

struct Flood {
  Flood() {
    restart();
    const CallResult ended = call("bg_start", {{"command", kFlood}, {"until", {{"exit", true}}}});
    id = Json::parse(ended.data)["id"];
  }

  CallResult call(const std::string& tool, const Json& args) {
    CallResult result = host->call(tool, args);
    INFO(tool << " " << args.dump() << ": " << result.message);
    REQUIRE(result.ok);
    return result;
  }

  // Memory forgets the run, and the journal does not.
  void restart() {
    host.reset();
    host = std::make_unique<Host>(all_toolsets(dir));
  }

  // Returns the text of a call, which must fit and show the error.
  std::string text(const std::string& tool, const Json& args) {
    const CallResult result = call(tool, args);
    INFO(tool << " " << args.dump() << ": " << result.text.size()
              << " bytes: " << result.text.substr(0, 300) << " ... "
              << result.text.substr(result.text.size() -
                                    std::min<std::size_t>(600, result.text.size())));
    CHECK(result.text.size() <= kMaxChars);
    CHECK(result.text.find("FATAL: no database") != std::string::npos);
    return result.text;
  }

  TempDir dir;
  std::unique_ptr<Host> host;
  std::string id;
};

bool contains(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

TEST_CASE("no answer about a flood is longer than 8,000 characters, and each shows its error") {
  Flood flood;
  const std::string& id = flood.id;
  CHECK(contains(flood.text("bg_output", {{"id", id}}), "read them with stream=stdout, from="));
  Flood unread;
  CHECK(contains(unread.text("job", {{"action", "output"}, {"id", unread.id}}), "from=merged:"));
  CHECK(contains(flood.text("read_process_output", {{"id", id}, {"lines", 10000}}),
                 "read them with stream=stdout, from="));
  flood.text("process", {{"action", "output"}, {"pid", id}, {"tail", 10000}});
  CHECK(contains(flood.text("run_cmd", {{"cmd", kFlood}}), "read_process_output id="));
  CHECK(contains(flood.text("run_build", {{"command", kFlood}}), "read from offset"));
  CHECK(contains(flood.text("shell", {{"command", kFlood}}), "action=poll, run_id="));
  CHECK(contains(flood.text("shell", {{"action", "poll"}, {"run_id", id}}), "more: poll again"));
  CHECK(contains(flood.text("safe_shell", {{"command", "sh"}, {"args", {"-c", kFlood}}}),
                 "give stdout_file"));
}

TEST_CASE("no answer about a flood that only the journal knows is longer either") {
  Flood flood;
  const std::string& id = flood.id;
  flood.restart();
  flood.text("bg_output", {{"id", id}, {"lines", 10'000}});
  flood.text("job", {{"action", "output"}, {"id", id}});
  flood.text("process", {{"action", "output"}, {"pid", id}, {"tail", 10'000}});
  flood.text("read_process_output", {{"id", id}, {"lines", 10'000}});
  flood.text("shell", {{"action", "poll"}, {"run_id", id}});
}

TEST_CASE("answers with lines that were searched for, or that keys brought, fit") {
  Flood flood;
  CHECK(flood.call("bg_output", {{"id", flood.id}, {"grep", "line"}}).text.size() <= kMaxChars);
  CHECK(flood.call("job", {{"action", "output"}, {"id", flood.id}, {"grep", "line"}}).text.size() <=
        kMaxChars);
  const CallResult asks = flood.call(
      "bg_start", {{"command", std::string("read x; ") + kFlood}, {"until", {{"input", true}}}});
  const std::string typed =
      flood.text("bg_input", {{"id", Json::parse(asks.data)["id"]}, {"keys", "go<Enter>"}});
  CHECK(contains(typed, "left out: bg_output id="));
}

TEST_CASE("a poll's cursor moves only past what its answer has, to the last line") {
  Flood flood;
  std::string all;
  Json data = {{"next_seq", 0}, {"more", true}};
  while (data["more"] == true) {
    data = Json::parse(
        flood
            .call("shell",
                  {{"action", "poll"}, {"run_id", flood.id}, {"since_seq", data["next_seq"]}})
            .data);
    for (const Json& item : data["items"]) {
      if (item["item_type"] == "stdout") all += item["payload"].get<std::string>();
    }
  }
  CHECK(all.size() == 2 * 3000 * std::string("line 00001 of out\n").size() + 19);
  const CallResult large = flood.call(
      "shell", {{"action", "poll"}, {"run_id", flood.id}, {"max_output_bytes", 100'000}});
  CHECK(large.text.size() > 50'000);
}

TEST_CASE("job output and read_process_output read what an answer left out, from its offset") {
  Flood flood;
  const CallResult job =
      flood.call("job", {{"action", "output"}, {"id", flood.id}, {"from", "stdout:18"}});
  CHECK(job.text.starts_with("line 00002 of out\n"));
  CHECK(job.text.size() <= kMaxChars);
  CHECK(contains(job.text, "[more: job action=output, id=" + flood.id + ", from=stdout:"));
  const CallResult err =
      flood.call("job", {{"action", "output"}, {"id", flood.id}, {"from", "stderr:0"}});
  CHECK(err.text.starts_with("line 00001 of err\n"));
  const CallResult read =
      flood.call("read_process_output", {{"id", flood.id}, {"stream", "stdout"}, {"from", 18}});
  CHECK(contains(read.text, "[stdout]\nline 00002 of out\n"));
  CHECK(contains(read.text, "read on with stream=stdout, from="));
  for (const char* wrong : {"18", "stdin:0", "stdout:-1", "stdout:"}) {
    const CallResult result =
        flood.host->call("job", {{"action", "output"}, {"id", flood.id}, {"from", wrong}});
    INFO(wrong);
    CHECK(result.code == "invalid_arguments");
    CHECK(contains(result.message, "args.from: expected 'merged:OFFSET'"));
  }
  const CallResult streamless =
      flood.host->call("read_process_output", {{"id", flood.id}, {"from", 18}});
  CHECK(contains(streamless.message, "args.stream: expected"));
}

TEST_CASE("a wait for many runs that fail says why of as many as fit") {
  const TempDir dir;
  RuntimeOptions options = all_toolsets(dir);
  options.config_file = dir.write("gibbous.lua", "return { limits = { max_concurrent = 30 } }");
  Host host(options);
  Json ids = Json::array();
  const std::string command =
      "for i in 1 2 3; do printf 'FATAL: no database %0150d\\n' $i; done; seq 10; exit 3";
  for (int at = 0; at < 20; ++at) ids.push_back(host.start(command));
  const CallResult ended =
      host.call("wait_for", {{"ids", ids}, {"exit", true}, {"mode", "all"}, {"timeout", 60'000}});
  INFO(ended.text << ended.message);
  REQUIRE(ended.ok);
  CHECK(ended.text.size() <= kMaxChars);
  for (const Json& id : ids) CHECK(contains(ended.text, id.get<std::string>() + " ended: failed"));
  CHECK(contains(ended.text, "1:FATAL: no database"));
  CHECK(contains(ended.text, "more failed is left out: bg_status with id tells]"));
}

TEST_CASE("lists of many runs with long commands fit, and have every run that goes on") {
  const TempDir dir;
  RuntimeOptions options = all_toolsets(dir);
  Host host(options);
  const std::string running = host.start("sleep 600 # " + std::string(3000, 'x'));
  for (int at = 0; at < 60; ++at) {
    host.call("bg_start", {{"command", ": " + std::string(400, 'y')}, {"until", {{"exit", true}}}});
  }
  for (const auto& [tool, args] :
       {std::pair<std::string, Json>{"bg_status", Json::object()}, {"job", {{"action", "list"}}}}) {
    const CallResult list = host.call(tool, args);
    INFO(tool << ": " << list.text);
    CHECK(list.text.size() <= kMaxChars);
    CHECK(list.text.find(running) != std::string::npos);
  }
  CHECK(contains(host.call("bg_status", Json::object()).text, "older ones left out: bg_status"));
}

}  // namespace
}  // namespace gibbous::testing
