// restart, ready and after of run.start over a whole runtime: the agent's events, the policy's new
// verdicts, and what cancelling, reloading and ending do.
#include <sys/stat.h>

#include <fstream>
#include <iterator>
#include <optional>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous::testing {
namespace {

using Catch::Matchers::Contains;

constexpr char kInit[] = R"(
local function run_of(name, run_it)
  return tool {
    name = name, description = 'starts', permission = 'execute',
    input = schema.object { options = schema.any {} }, run = run_it,
  }
end
local function start(args)
  local handle, err = run.start(args.options)
  if not handle then tool.error(err.code, err.message) end
  return handle
end
return {
  toolsets = { require 'toolsets.bg', require 'toolsets.wait', { name = 'start', tools = {
    run_of('start', function(args)
      args.options.detach = true
      local handle = start(args)
      return { data = { id = handle.id, state = handle:info().state } }
    end),
    run_of('own', function(args)
      local handle = start(args)
      store.set('own', handle.id)
      time.sleep(60000)
    end),
    run_of('info', function(args)
      return { data = run.get(args.options.id):info() }
    end),
    run_of('wait', function(args)
      local answer = run.get(args.options.id):wait { { kind = args.options.kind } }
      return { data = answer }
    end),
    run_of('next', function(args)
      local handle = run.get(args.options.id)
      while handle:info().next do handle = run.get(handle:info().next) end
      return { data = handle:info() }
    end),
  } } },
  executors = { {
    name = 'odd', settings = schema.object {},
    prepare = function(spec) return { argv = { '/bin/sh', '-c', spec.command } } end,
    ended = function() return { reason = 'the machine was lost' } end,
  } },
}
)";

constexpr char kPolicy[] = R"(
return {
  modes = { auto = { read = 'allow', write = 'allow', execute = 'allow', network = 'allow' } },
  decide = function(effect) %s return { decision = 'allow', rule = 'all', reason = 'it is a test' } end,
})";

constexpr char kAskForStarts[] =
    "if effect.kind == 'start' and effect.command:find 'exit 1' and not effect.approved then "
    "return { decision = 'ask', rule = 'r', reason = 'ask first' } end";

class Place {
 public:
  explicit Place(const std::string& config = "") {
    dir.write("scripts/init.lua", kInit);
    allow("");
    RuntimeOptions options = auto_mode();
    options.scripts_dir = dir.path() + "/scripts";
    options.policies_dir = dir.path() + "/policies";
    options.state_dir = dir.path() + "/state";
    options.workspace = dir.path();
    options.config_file = config;
    host.emplace(std::move(options));
    REQUIRE(::mkfifo((dir.path() + "/fifo").c_str(), S_IRUSR | S_IWUSR) == 0);
  }
  // From the next load on, the policy runs `before` and then allows everything.
  void allow(const std::string& before) {
    std::string policy = kPolicy;
    policy.replace(policy.find("%s"), 2, before);
    dir.write("policies/init.lua", policy);
  }
  Json start(Json options) { return host->data("start", {{"options", std::move(options)}}); }
  Json info(const Json& id) { return host->data("info", {{"options", {{"id", id}}}}); }
  Json newest(const Json& id) { return host->data("next", {{"options", {{"id", id}}}}); }
  Json event(const std::string& name, const Json& run) {
    Json found;
    REQUIRE(host->until([&] {
      for (const Event& each : host->events) {
        const Json parsed = Json::parse(each.json);
        if (each.name == name && parsed["run"] == run) found = parsed;
      }
      return !found.is_null();
    }));
    return found;
  }
  CallResult refused(Json options) {
    return host->call("start", {{"options", std::move(options)}});
  }

  TempDir dir;
  std::optional<Host> host;
};

TEST_CASE("an agent gets an event when its run is ready, with the reason") {
  Place place;
  const Json run = place.start({{"command", "echo port 3000; sleep 60"},
                                {"label", "web"},
                                {"ready", {{"kind", "regex"}, {"pattern", "port (\\d+)"}}}});
  const Json event = place.event("run_ready", run["id"]);
  CHECK(event["because"] == "line: port 3000");
  CHECK(event["label"] == "web");
  CHECK(place.info(run["id"])["readiness"] == "ready");
  const auto backlog = place.host->runtime->drain_backlog("");
  REQUIRE_FALSE(backlog.empty());
  CHECK_THAT(backlog.back(), Contains("run_ready"));
}

TEST_CASE("an agent gets an event when its run is not ready in time") {
  Place place;
  const Json run = place.start(
      {{"command", "sleep 60"},
       {"ready", {{"any", {{{"kind", "regex"}, {"pattern", "never"}}}}, {"timeout_ms", 20}}}});
  const Json event = place.event("run_not_ready", run["id"]);
  CHECK(event["reason"].get<std::string>().find("timed out") == 0);
  CHECK(place.info(run["id"])["state"] == "running");
}

TEST_CASE("the end of a run names the run that is started again for it") {
  Place place;
  const Json run =
      place.start({{"command", "exit 3"}, {"restart", {{"max", 1}, {"backoff_ms", 1}}}});
  const Json end = place.event("run_ended", run["id"]);
  REQUIRE(end.contains("next"));
  const Json last = place.event("run_ended", end["next"]);
  CHECK(last["restart_of"] == run["id"]);
  CHECK(last["restarts"] == 1);
  CHECK_FALSE(last.contains("next"));
  CHECK(place.info(end["next"])["tool"] == "start");
}

TEST_CASE("watchers, variables and the log hold for the restarted run") {
  Place place;
  const Json run = place.start({{"command", "echo at $WORD; exit 1"},
                                {"env", {{"WORD", "seven"}}},
                                {"log", {{"path", "all.log"}}},
                                {"watch", {{{"regex", "at (\\w+)"}, {"event", "place"}}}},
                                {"restart", {{"max", 1}, {"backoff_ms", 1}}}});
  const Json next = place.event("run_ended", run["id"])["next"];
  place.event("run_ended", next);
  CHECK(place.event("place", next)["captures"] == Json{"seven"});
  CHECK(place.host->until([&] {
    std::ifstream log(place.dir.path() + "/all.log");
    return std::string{std::istreambuf_iterator<char>(log), {}} == "at seven\nat seven\n";
  }));
}

TEST_CASE("a run is restarted after an end that its executor explains") {
  Place place;
  const Json run = place.start(
      {{"command", "exit 7"}, {"executor", "odd"}, {"restart", {{"max", 1}, {"backoff_ms", 1}}}});
  const Json end = place.event("run_ended", run["id"]);
  CHECK(end["reason"] == "the machine was lost");
  CHECK(end["state"] == "failed");
  CHECK(end.contains("next"));
}

TEST_CASE("services that never start are not waited for") {
  const TempDir dir;
  RuntimeOptions options = auto_mode();
  options.toolsets = {"services"};
  options.config_file = dir.write("config.lua", "return { limits = { max_concurrent = 1 } }");
  options.state_dir = dir.path() + "/state";
  options.workspace = dir.path();
  Host host(std::move(options));
  const Json data = host.data(
      "start_services", {{"timeout", 50},
                         {"services",
                          {{{"name", "first"}, {"command", "sleep 60"}},
                           {{"name", "second"}, {"command", "sleep 60"}, {"after", {"first"}}}}}});
  CHECK(data["ready"] == false);
  CHECK(data["services"][1]["reason"] == "it waits for a place");
}

TEST_CASE("a queued run says what it waits for") {
  bool done = false;
  const TempDir dir;
  const std::string config = dir.write("config.lua", "return { limits = { max_concurrent = 1 } }");
  Place place(config);
  place.start({{"command", "sleep 60"}});
  place.host->runtime->call({"start", R"({"options":{"command":"true","when_full":"queue"}})", ""},
                            [&](const CallResult&) { done = true; });
  Json queued;
  REQUIRE(place.host->until([&] {
    const Json status = place.host->data("bg_status", Json::object());
    for (const Json& each : status["processes"]) {
      if (each["state"] == "queued") queued = each;
    }
    return !queued.is_null();
  }));
  CHECK(queued["reason"] == "it waits for a place");
  CHECK_FALSE(done);
}

TEST_CASE("a run waits for runs by id and by label") {
  Place place;
  const Json db = place.start({{"command", "read x < fifo; echo up; sleep 60"},
                               {"label", "db"},
                               {"ready", {{"kind", "regex"}, {"pattern", "^up$"}}}});
  const Json by_label = place.start({{"command", "true"}, {"after", {"db"}}});
  const Json by_id = place.start({{"command", "true"}, {"after", {db["id"]}}});
  CHECK(by_label["state"] == "queued");
  CHECK(place.info(by_id["id"])["reason"] ==
        "it starts when " + db["id"].get<std::string>() + " is ready");
  place.host->data("start", {{"options", {{"command", "echo go > fifo"}}}});
  place.event("run_ended", by_label["id"]);
  place.event("run_ended", by_id["id"]);
  CHECK(place.info(by_id["id"])["state"] == "completed");
}

TEST_CASE("an error of wrong options names the field") {
  Place place;
  const auto message = [&](const Json& options) { return place.refused(options).message; };
  CHECK_THAT(message({{"command", "true"}, {"restart", 3}}),
             Contains("run.start: restart: expected true, or a table"));
  CHECK_THAT(message({{"command", "true"}, {"restart", {{"max", 0}}}}),
             Contains("run.start: restart: max: expected"));
  CHECK_THAT(message({{"command", "true"}, {"restart", {{"often", 1}}}}), Contains("often"));
  CHECK_THAT(message({{"command", "true"}, {"ready", {{"kind", "regex"}, {"pattern", "("}}}}),
             Contains("run.start: ready: "));
  CHECK_THAT(message({{"command", "true"}, {"ready", {{"kind", "ready"}}}}),
             Contains("a run cannot wait for its own readiness"));
  CHECK_THAT(message({{"command", "true"}, {"after", {3}}}),
             Contains("run.start: after: expected a list of runs"));
  CHECK_THAT(message({{"command", "true"}, {"after", {"nobody"}}}),
             Contains("after: there is no run \"nobody\""));
}

TEST_CASE("what Gibbous looks at to see whether a run is ready is judged as a command") {
  Place place;
  place.allow(
      "if effect.kind == 'start' and (effect.command:find 'curl' or effect.command:find 'test %-e')"
      " then return { decision = 'deny', rule = 'r', reason = 'no looking at ' .. effect.command }"
      " end");
  REQUIRE(place.host->runtime->reload().ok);
  const auto refused = [&](const Json& ready) {
    return place.refused({{"command", "sleep 60"}, {"ready", ready}});
  };
  const CallResult url = refused({{"kind", "http"}, {"url", "http://192.0.2.1/?k=SECRET"}});
  CHECK(url.code == "denied");
  CHECK_THAT(url.message, Contains("no looking at curl"));
  CHECK(refused({{"kind", "port"}, {"port", 80}, {"host", "192.0.2.1"}}).code == "denied");
  CHECK(refused({{"any", {{{"kind", "file"}, {"path", "/etc/shadow"}}}}}).code == "denied");
  // This machine and the workspace need no question, and nothing else was started.
  const Json run =
      place.start({{"command", "sleep 60"},
                   {"ready", {{"kind", "file"}, {"path", place.dir.path() + "/here"}}}});
  place.dir.write("here", "");
  (void)place.event("run_ready", run["id"]);
  const auto& events = place.host->events;
  CHECK(std::count_if(events.begin(), events.end(),
                      [](const Event& event) { return event.name == "run_started"; }) == 1);
}

TEST_CASE("the newest policy judges again before a run is restarted") {
  Place place;
  const Json run = place.start(
      {{"command", "read x < fifo; exit 1"}, {"restart", {{"max", 5}, {"backoff_ms", 1}}}});
  place.allow(
      "if effect.kind == 'start' and effect.command:find 'exit 1' then "
      "return { decision = 'deny', rule = 'no', reason = 'not any more' } end");
  REQUIRE(place.host->runtime->reload().ok);
  place.host->data("start", {{"options", {{"command", "echo go > fifo"}}}});
  const Json next = place.event("run_ended", run["id"])["next"];
  const Json end = place.event("run_ended", next);
  CHECK(end["reason"] == "not started: the start was denied (rule no): not any more");
  CHECK_FALSE(end.contains("next"));
}

TEST_CASE("a mode that has become stricter asks before a restart") {
  Place place;
  const Json run = place.start(
      {{"command", "read x < fifo; exit 1"}, {"restart", {{"max", 5}, {"backoff_ms", 1}}}});
  place.allow(kAskForStarts);
  REQUIRE(place.host->runtime->reload().ok);
  place.host->data("start", {{"options", {{"command", "echo go > fifo"}}}});
  const Json next = place.event("run_ended", run["id"])["next"];
  CHECK(place.event("run_ended", next)["reason"] ==
        "not started: the start needs approval (rule r): ask first");
}

TEST_CASE("a restart of an approved run does not ask again") {
  Place place;
  int asked = 0;
  place.host->runtime->on_ask([&](const AskRequest& request) {
    ++asked;
    request.answer(true, "");
  });
  place.allow(std::string(kAskForStarts) +
              " if effect.kind == 'call' and effect.tool == 'start' then "
              "return { decision = 'ask', rule = 'r', reason = 'ask first' } end");
  REQUIRE(place.host->runtime->reload().ok);
  const Json run =
      place.start({{"command", "exit 1"}, {"restart", {{"max", 1}, {"backoff_ms", 1}}}});
  const Json next = place.event("run_ended", run["id"])["next"];
  CHECK(place.event("run_ended", next)["reason"] == "exit code 1");
  CHECK(asked == 1);
}

TEST_CASE("an approval of one command of several counts when that starts after others") {
  const TempDir dir;
  RuntimeOptions options = auto_mode();
  options.toolsets = {"services"};
  options.state_dir = dir.path() + "/state";
  options.workspace = dir.path();
  Host host(std::move(options));
  std::vector<std::string> asked;
  host.runtime->on_ask([&](const AskRequest& request) {
    asked.push_back(request.command);
    request.answer(true, "");
  });
  const Json data = host.data(
      "start_services",
      {{"services",
        {{{"name", "first"}, {"command", "echo up; sleep 60"}, {"ready", {{"output_regex", "up"}}}},
         {{"name", "second"},
          {"command", "echo here; sudo -n true; sleep 60"},
          {"after", {"first"}},
          {"ready", {{"output_regex", "here"}}}}}}});
  CHECK(data["ready"] == true);
  CHECK(asked == std::vector<std::string>{"echo here; sudo -n true; sleep 60"});
}

TEST_CASE("a run is still restarted after a reload") {
  Place place;
  const Json run = place.start(
      {{"command", "read x < fifo; exit 1"}, {"restart", {{"max", 2}, {"backoff_ms", 1}}}});
  REQUIRE(place.host->runtime->reload().ok);
  place.host->data("start", {{"options", {{"command", "echo go > fifo"}}}});
  const Json next = place.event("run_ended", run["id"])["next"];
  place.event("run_started", next);
}

TEST_CASE("a kill by the original id ends the current run of the chain") {
  Place place;
  const Json run = place.start({{"command", "test -e tried && sleep 60; : > tried; exit 1"},
                                {"restart", {{"max", 3}, {"backoff_ms", 1}}}});
  const Json next = place.event("run_ended", run["id"])["next"];
  place.event("run_started", next);
  const Json killed = place.host->data("bg_kill", {{"id", run["id"]}});
  CHECK(killed["killed"] == true);
  CHECK(place.info(next)["state"] == "killed");
  CHECK(place.newest(run["id"])["id"] == next);
}

TEST_CASE("a pause before a restart is ended by a kill") {
  Place place;
  const Json run =
      place.start({{"command", "exit 1"}, {"restart", {{"max", 3}, {"backoff_ms", 60000}}}});
  const Json next = place.event("run_ended", run["id"])["next"];
  CHECK(place.info(next)["reason"] == "it starts again in 60.0s (1 of 3)");
  const CallResult killed = place.host->call("bg_kill", {{"id", run["id"]}});
  REQUIRE(killed.ok);
  CHECK(killed.text.find("is not started again") != std::string::npos);
  CHECK(place.info(next)["state"] == "killed");
}

TEST_CASE("a call ends every run that belongs to it") {
  Place place;
  bool done = false;
  const CallId call = place.host->runtime->call(
      {"own",
       Json{{"options",
             {{"command", "test -e tried && exec sleep 60; : > tried; exit 1"},
              {"restart", {{"max", 3}, {"backoff_ms", 1}}}}}}
           .dump(),
       ""},
      [&](const CallResult&) { done = true; });
  std::string first;
  std::size_t starts = 0;
  REQUIRE(place.host->until([&] {
    starts = 0;
    for (const Event& each : place.host->events) starts += each.name == "run_started" ? 1 : 0;
    return starts == 2;
  }));
  REQUIRE(place.host->runtime->cancel(call));
  REQUIRE(place.host->until([&] { return done; }));
  for (const Event& each : place.host->events) {
    if (each.name == "run_started") first = Json::parse(each.json)["run"];
  }
  CHECK(place.info(first)["state"] == "killed");
}

TEST_CASE("a runtime that ends restarts nothing") {
  const std::string word = unique_word();
  {
    Place place;
    const Json run = place.start({{"command", "sleep 600; echo " + word + "; exit 1"},
                                  {"restart", {{"max", 5}, {"backoff_ms", 0}}}});
    place.event("run_started", run["id"]);
    place.start(
        {{"command", "echo " + word}, {"after", {run["id"]}}, {"ready", {{"kind", "exit"}}}});
  }
  Loop loop;
  CHECK(loop.until([&] { return processes_with(word).empty(); }));
}

TEST_CASE("scripts can wait for a start and for readiness") {
  Place place;
  const Json run = place.start(
      {{"command", "echo up; sleep 60"}, {"ready", {{"kind", "regex"}, {"pattern", "up"}}}});
  const auto wait = [&](const char* kind, const Json& id) {
    return place.host->data("wait", {{"options", {{"id", id}, {"kind", kind}}}});
  };
  CHECK(wait("start", run["id"])["ok"] == true);
  CHECK(wait("ready", run["id"])["fired"][0]["kind"] == "ready");
  const Json bad = place.start({{"command", "exit 2"}, {"ready", {{"kind", "port"}, {"port", 1}}}});
  const Json answer = wait("ready", bad["id"]);
  CHECK(answer["ok"] == false);
  CHECK(answer["reason"] == "impossible");
  const Json never = place.start({{"command", "true"}, {"after", {bad["id"]}}});
  CHECK(wait("start", never["id"])["ok"] == false);
}

}  // namespace
}  // namespace gibbous::testing
