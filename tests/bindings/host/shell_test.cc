// The toolset `shell` over a real runtime: spawn, poll by cursor, kill, watchers, the queue of a
// session, the backlog, and a command in the foreground.
#include <unistd.h>

#include <algorithm>
#include <set>

#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous::testing {
namespace {

class ShellHost {
 public:
  ShellHost() : host_(options()) {}
  RuntimeOptions options() {
    RuntimeOptions made = with_shell();
    made.state_dir = dir_.path() + "/state";
    return made;
  }
  Json shell(const Json& args, const std::string& session = "") {
    return host_.data("shell", args, session);
  }
  std::string spawn(const std::string& command, const Json& more = Json::object(),
                    const std::string& session = "") {
    Json args = more;
    args["action"] = "spawn";
    args["command"] = command;
    return shell(args, session)["run_id"].get<std::string>();
  }
  // Polls until the run is done; returns the last answer with all items.
  Json done(const std::string& id) {
    Json items = Json::array();
    std::int64_t since = 0;
    Json answer;
    REQUIRE(host_.until([&] {
      answer = shell({{"action", "poll"}, {"run_id", id}, {"since_seq", since}});
      for (const Json& item : answer["items"]) items.push_back(item);
      since = answer["next_seq"].get<std::int64_t>();
      return answer["done"].get<bool>();
    }));
    answer["items"] = items;
    return answer;
  }
  static std::string output(const Json& answer, const std::string& type = "stdout") {
    std::string text;
    for (const Json& item : answer["items"]) {
      if (item["item_type"] == type) text += item["payload"].get<std::string>();
    }
    return text;
  }
  Host& host() { return host_; }
  std::string path() const { return dir_.path(); }

 private:
  TempDir dir_;
  Host host_;
};

std::vector<std::string> names(const std::vector<std::string>& events) {
  std::vector<std::string> all;
  for (const std::string& event : events) {
    all.push_back(Json::parse(event)["event"].get<std::string>());
  }
  return all;
}

TEST_CASE("a spawned run is queued, executed, and polled with a cursor to its end") {
  ShellHost desk;
  const Json spawned =
      desk.shell({{"action", "spawn"}, {"command", "echo one; echo two >&2; exit 3"}});
  CHECK(spawned["status"] == "queued");
  const Json end = desk.done(spawned["run_id"]);
  CHECK(end["status"] == "failed");
  CHECK(end["exit_code"] == 3);
  CHECK(desk.output(end) == "one\n");
  CHECK(desk.output(end, "stderr") == "two\n");
  std::int64_t seq = 0;
  for (const Json& item : end["items"]) CHECK(item["seq"] == ++seq);
  const Json again =
      desk.shell({{"action", "poll"}, {"run_id", end["run_id"]}, {"since_seq", end["next_seq"]}});
  CHECK(again["items"].empty());
  CHECK(again["next_seq"] == end["next_seq"]);
}

TEST_CASE("runs of one session execute in order, one at a time, in parallel with other sessions") {
  ShellHost desk;
  const std::string log = desk.path() + "/order";
  const auto line = [&](const std::string& name) {
    return "echo begin-" + name + " >> " + log + "; sleep 0.2; echo end-" + name + " >> " + log;
  };
  const std::string a = desk.spawn(line("a"), {}, "one");
  const std::string b = desk.spawn(line("b"), {}, "one");
  const std::string other = desk.spawn(line("x"), {}, "two");
  for (const std::string& id : {a, b, other}) CHECK(desk.done(id)["status"] == "completed");
  const Json read = desk.shell({{"command", "cat " + log}});
  std::vector<std::string> ones;
  std::istringstream lines(read["stdout"].get<std::string>());
  std::size_t begin_x = 0;
  std::size_t end_b = 0;
  std::size_t at = 0;
  for (std::string each; std::getline(lines, each); ++at) {
    if (each.back() != 'x') ones.push_back(each);
    if (each == "begin-x") begin_x = at;
    if (each == "end-b") end_b = at;
  }
  CHECK(ones == std::vector<std::string>{"begin-a", "end-a", "begin-b", "end-b"});
  CHECK(begin_x < end_b);
}

TEST_CASE("watchers send events with their line, once on request, and the end sends one too") {
  ShellHost desk;
  const Json watch = {
      {{"regex", "listening on (?P<port>[0-9]+)"}, {"event", "ready"}, {"once", true}},
      {{"regex", "^warn"}, {"event", "trouble"}, {"scope", "stderr"}}};
  const std::string id = desk.spawn(
      "printf '\\033[32mlistening on 8080\\033[0m\\n'; echo listening on 9090;"
      "echo warn here; echo warn there >&2",
      {{"watch", watch}}, "s");
  const Json end = desk.done(id);
  std::vector<Json> events;
  for (const Json& item : end["items"]) {
    if (item["item_type"] == "event") events.push_back(item["meta"]);
  }
  const auto count = [&](const std::string& name) {
    return std::count_if(events.begin(), events.end(),
                         [&](const Json& event) { return event["event"] == name; });
  };
  CHECK(count("ready") == 1);
  CHECK(count("trouble") == 1);
  CHECK(count("run_ended") == 1);
  const auto ready = std::find_if(events.begin(), events.end(),
                                  [](const Json& event) { return event["event"] == "ready"; });
  CHECK((*ready)["line"] == "listening on 8080");
  CHECK((*ready)["named"]["port"] == "8080");
  CHECK((*ready)["stream"] == "stdout");
  const std::vector<std::string> told = names(desk.host().runtime->drain_backlog("s"));
  CHECK(std::count(told.begin(), told.end(), "ready") == 1);
  CHECK(std::count(told.begin(), told.end(), "trouble") == 1);
  CHECK(std::count(told.begin(), told.end(), "run_ended") == 1);
  CHECK(desk.host().runtime->drain_backlog("s").empty());
}

TEST_CASE("a watcher preset is selected by its name") {
  ShellHost desk;
  const std::string id = desk.spawn(
      "echo ' - Local:   http://localhost:3000'; echo 'Traceback (most recent call last):'",
      {{"watch", {{{"preset", "ready"}, {"once", true}}, {{"preset", "stack_trace"}}}}}, "s");
  desk.done(id);
  const std::vector<std::string> told = names(desk.host().runtime->drain_backlog("s"));
  CHECK(std::count(told.begin(), told.end(), "ready") == 1);
  CHECK(std::count(told.begin(), told.end(), "stack_trace") == 1);
}

TEST_CASE("a result carries the backlog of its session, once") {
  ShellHost desk;
  const std::string id =
      desk.spawn("echo up", {{"watch", {{{"regex", "up"}, {"event", "ready"}}}}}, "s");
  desk.done(id);
  const auto call = [&](const std::string& session) {
    std::optional<CallResult> result;
    CallRequest request{"shell", Json{{"action", "poll"}, {"run_id", id}}.dump(), session};
    request.wants_backlog = true;
    desk.host().runtime->call(request, [&](CallResult got) { result = std::move(got); });
    REQUIRE(desk.host().until([&] { return result.has_value(); }));
    return *result;
  };
  CHECK(call("other").backlog.empty());
  // The poll itself says that the run has ended.
  CHECK(names(call("s").backlog) == std::vector<std::string>{"ready"});
  CHECK(call("s").backlog.empty());
}

TEST_CASE("kill ends a run that runs, and one that is still queued") {
  ShellHost desk;
  const std::string first = desk.spawn("echo up; exec sleep 600");
  const std::string second = desk.spawn("echo never");
  REQUIRE(desk.host().until([&] {
    return desk.output(desk.shell({{"action", "poll"}, {"run_id", first}})) == "up\n";
  }));
  const Json killed = desk.shell({{"action", "kill"}, {"run_id", second}});
  CHECK(killed["killed"] == true);
  CHECK(killed["status"] == "killed");
  CHECK(desk.shell({{"action", "kill"}, {"run_id", first}})["killed"] == true);
  CHECK(desk.done(first)["status"] == "killed");
  const Json never = desk.done(second);
  CHECK(never["status"] == "killed");
  CHECK(desk.output(never).empty());
  CHECK(desk.shell({{"action", "kill"}, {"run_id", second}})["killed"] == false);
}

TEST_CASE("without action the call waits for the command") {
  ShellHost desk;
  const Json good = desk.shell({{"command", "echo out; echo err >&2"}});
  CHECK(good["stdout"] == "out\n");
  CHECK(good["stderr"] == "err\n");
  CHECK(good["exit_code"] == 0);
  const Json bad = desk.shell({{"command", "echo no; exit 4"}});
  CHECK(bad["exit_code"] == 4);
  CHECK(bad["status"] == "failed");
  const Json late = desk.shell({{"command", "sleep 600"}, {"timeout_secs", 0.2}});
  CHECK(late["status"] == "timeout");
}

TEST_CASE("what a command leaves behind is gone when its call returns") {
  ShellHost desk;
  const std::string tag = "9000000." + std::to_string(::getpid());
  for (int round = 0; round < 20; ++round) {
    const Json data = desk.shell({{"command", "sleep " + tag + " >/dev/null 2>&1 & echo $!"}});
    REQUIRE(data["exit_code"] == 0);
    CHECK(processes_with(tag).empty());
  }
}

TEST_CASE("spawn with background = false waits, and answers as poll does") {
  ShellHost desk;
  const Json end = desk.shell({{"action", "spawn"}, {"command", "echo x"}, {"background", false}});
  CHECK(end["status"] == "completed");
  CHECK(desk.output(end) == "x\n");
}

TEST_CASE("wrong use of shell names the field") {
  ShellHost desk;
  const auto message = [&](const Json& args) {
    const CallResult result = desk.host().call("shell", args);
    CHECK_FALSE(result.ok);
    return result.code + ": " + result.message;
  };
  using Catch::Matchers::Contains;
  CHECK_THAT(message({{"action", "spawn"}}), Contains("args.command"));
  CHECK_THAT(message({{"action", "poll"}}), Contains("args.run_id"));
  CHECK_THAT(message({{"action", "kill"}}), Contains("args.run_id"));
  CHECK_THAT(message({{"action", "poll"}, {"run_id", "nobodyis"}}), Contains("run_not_found"));
  CHECK_THAT(message({{"action", "fly"}}), Contains("args.action"));
  CHECK_THAT(message({{"action", "send_keys"}, {"run_id", "x"}}), Contains("args.keys"));
  CHECK_THAT(message({{"action", "send_keys"}, {"run_id", "nobodyis"}, {"keys", "x"}}),
             Contains("run_not_found"));
  CHECK_THAT(message({{"action", "spawn"},
                      {"command", "true"},
                      {"watch", {{{"regex", "a(b"}, {"event", "e"}}}}}),
             Contains("args.watch[0].regex"));
  CHECK_THAT(message(Json::object()), Contains("args.command"));
  const auto watch_message = [&](const Json& watcher) {
    return message({{"action", "spawn"}, {"command", "true"}, {"watch", {watcher}}});
  };
  CHECK_THAT(watch_message({{"regex", "x"}}), Contains("args.watch[0]"));
  CHECK_THAT(watch_message({{"preset", "ready"}, {"event", "up"}}), Contains("args.watch[0]"));
  CHECK_THAT(watch_message({{"preset", "nothing"}}), Contains("stack_trace"));
}

TEST_CASE("a denied command is not queued") {
  ShellHost desk;
  const CallResult denied =
      desk.host().call("shell", {{"action", "spawn"}, {"command", "rm -rf /"}});
  CHECK(denied.code == "denied");
}

}  // namespace
}  // namespace gibbous::testing
