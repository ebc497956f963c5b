// Handlers in Lua: events have what they return, the policy judges what they do, and their errors
// are reported. Also watchers that are added to a running run.
#include <algorithm>
#include <optional>

#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous::testing {
namespace {

constexpr char kInit[] = R"(
local watch = tool {
  name = 'watch', description = 'adds watchers', permission = 'execute',
  input = schema.object { id = schema.string {}, regex = schema.string {} },
  run = function(args)
    local handle, err = run.get(args.id)
    if not handle then tool.error(err.code, err.message) end
    handle:watch { { regex = args.regex, event = 'seen' } }
    return 'ok'
  end,
}
return {
  toolsets = { require 'toolsets.shell', { name = 'more', tools = { watch } } },
  watchers = { {
    on_ready = function(event) return { port = tonumber(event.captures[1]) } end,
    on_bad = function() error('no luck') end,
    on_big = function() return { words = ('word '):rep(4000) } end,
    on_late = function(event)
      local handle = run.get(event.run)
      handle:wait { wait.exit(handle) }
      return { state = handle:info().state }
    end,
    on_endless = function() while true do end end,
    on_stop = function(event) run.get(event.run):kill() end,
    on_more = function(event)
      assert(run.start { command = 'echo follow-up of ' .. event.run, detach = true })
    end,
  } },
}
)";

class HandlerHost {
 public:
  HandlerHost() {
    dir_.write("init.lua", kInit);
    config_ = dir_.write("config.lua", "return { lua = { call_ms = 100 } }\n");
    restart();
  }
  void restart() {
    host_.reset();
    RuntimeOptions options = auto_mode();
    options.scripts_dir = dir_.path();
    options.config_file = config_;
    options.state_dir = dir_.path() + "/state";
    host_.emplace(std::move(options));
  }
  std::string spawn(const std::string& command, const std::string& regex,
                    const std::string& event) {
    return host().data("shell", {{"action", "spawn"},
                                 {"command", command},
                                 {"watch", {{{"regex", regex}, {"event", event}}}}})["run_id"];
  }
  Json event(const std::string& name) {
    Json found;
    REQUIRE(host().until([&] {
      for (const Event& each : host().events) {
        if (each.name == name) found = Json::parse(each.json);
      }
      return !found.is_null();
    }));
    return found;
  }
  Host& host() { return *host_; }

 private:
  TempDir dir_;
  std::string config_;
  std::optional<Host> host_;
};

TEST_CASE("a handler's return value is the event's data") {
  HandlerHost desk;
  desk.spawn("echo listening on 8080", "listening on (\\d+)", "ready");
  CHECK(desk.event("ready")["data"]["port"] == 8080);
}

TEST_CASE("an event whose handler fails or takes too long is still reported, with the reason") {
  HandlerHost desk;
  using Catch::Matchers::Contains;
  desk.spawn("echo x", "x", "bad");
  CHECK_THAT(desk.event("bad")["handler_error"].get<std::string>(), Contains("no luck"));
  desk.spawn("echo x", "x", "endless");
  CHECK(desk.event("endless").contains("handler_error"));
}

// The items of a run, when no more can come.
Json items_of(Host& host, const std::string& id) {
  Json answer;
  REQUIRE(host.until([&] {
    answer = host.data("shell", {{"action", "poll"}, {"run_id", id}});
    return answer["done"] == true;
  }));
  return answer["items"];
}

// The meta of the items about this event: first the match, then what its handler added.
std::vector<Json> about(const Json& items, const std::string& event) {
  std::vector<Json> metas;
  for (const Json& item : items) {
    if (item["item_type"] == "event" && item["payload"] == event) metas.push_back(item["meta"]);
  }
  return metas;
}

TEST_CASE("what a handler adds is an item of the run") {
  HandlerHost desk;
  const std::string id = desk.spawn("echo listening on 8080", "listening on (\\d+)", "ready");
  const auto metas = about(items_of(desk.host(), id), "ready");
  REQUIRE(metas.size() == 2);
  CHECK(metas[0]["line"] == "listening on 8080");
  CHECK_FALSE(metas[0].contains("data"));
  CHECK(metas[1]["data"]["port"] == 8080);
  CHECK(metas[1]["at_ms"] == metas[0]["at_ms"]);
  CHECK(metas[1]["watcher"] == 1);
  const CallResult poll = desk.host().call("shell", {{"action", "poll"}, {"run_id", id}});
  CHECK_THAT(poll.text, Catch::Matchers::Contains("[event ready] data {\"port\":8080}"));
}

TEST_CASE("the error of a handler is an item of the run") {
  HandlerHost desk;
  const std::string id = desk.spawn("echo x", "x", "bad");
  const auto metas = about(items_of(desk.host(), id), "bad");
  REQUIRE(metas.size() == 2);
  CHECK_THAT(metas[1]["handler_error"].get<std::string>(), Catch::Matchers::Contains("no luck"));
}

TEST_CASE("only the beginning of a handler's large data is recorded, and its item says so") {
  HandlerHost desk;
  const std::string id = desk.spawn("echo x", "x", "big");
  const auto metas = about(items_of(desk.host(), id), "big");
  REQUIRE(metas.size() == 2);
  const std::string text = metas[1]["data"];
  CHECK(text.rfind("{\"words\":\"word word ", 0) == 0);
  CHECK(text.size() <= 4096);
  CHECK(text.size() > 3000);
  CHECK(metas[1]["note"] == "data is only the beginning of 20012 bytes");
  CHECK(desk.event("big")["data"]["words"].get<std::string>().size() == 20'000);
}

TEST_CASE("what a handler adds after the end of its run is an item after that end") {
  HandlerHost desk;
  const std::string id = desk.spawn("echo x", "x", "late");
  const Json items = items_of(desk.host(), id);
  const auto metas = about(items, "late");
  REQUIRE(metas.size() == 2);
  CHECK(metas[1]["data"]["state"] == "completed");
  std::string last;
  for (const Json& item : items) {
    if (item["item_type"] != "event") last = item["payload"];
  }
  CHECK(last == "completed");
  CHECK(items.back()["payload"] == "late");
}

TEST_CASE("a handler that its host's end stops leaves its match, and the reason, with the run") {
  HandlerHost desk;
  const std::string id = desk.spawn("echo x; exec sleep 600", "x", "late");
  REQUIRE(desk.host().until([&] {
    const Json answer = desk.host().data("shell", {{"action", "poll"}, {"run_id", id}});
    return !about(answer["items"], "late").empty();
  }));
  desk.restart();
  const Json items = items_of(desk.host(), id);
  const auto metas = about(items, "late");
  REQUIRE(metas.size() == 2);
  CHECK(metas[0]["line"] == "x");
  CHECK(metas[1].contains("handler_error"));
  CHECK(items.back()["payload"] == "killed");
}

TEST_CASE("a handler may end the run, and start others") {
  HandlerHost desk;
  desk.spawn("echo stop; exec sleep 600", "stop", "stop");
  CHECK(desk.event("run_ended")["state"] == "killed");
  desk.host().events.clear();
  const std::string id = desk.spawn("echo x", "x", "more");
  REQUIRE(desk.host().until([&] {
    return std::any_of(desk.host().events.begin(), desk.host().events.end(),
                       [&](const Event& event) {
                         return event.name == "run_ended" &&
                                Json::parse(event.json)["command"] == "echo follow-up of " + id;
                       });
  }));
}

TEST_CASE("watchers added later search earlier output, and prompts") {
  HandlerHost desk;
  const std::string id =
      desk.spawn("echo early; printf 'Password: '; exec sleep 600", "early", "noted");
  desk.event("noted");
  REQUIRE(desk.host().call("watch", {{"id", id}, {"regex", "^early$"}}).ok);
  CHECK(desk.event("seen")["line"] == "early");
  desk.host().events.clear();
  REQUIRE(desk.host().call("watch", {{"id", id}, {"regex", "assword: $"}}).ok);
  const Json prompt = desk.event("seen");
  CHECK(prompt["line"] == "Password: ");
  CHECK(prompt["partial"] == true);
  CHECK_FALSE(desk.host().call("watch", {{"id", id}, {"regex", "a(b"}}).ok);
}

TEST_CASE("the skipped part of a flood is recorded with a run that ends during it") {
  HandlerHost desk;
  const std::string id = desk.spawn("seq -f 'hit %g' 100", "hit", "flood");
  desk.event("run_ended");
  std::int64_t all = 0;
  REQUIRE(desk.host().until([&] {
    all = 0;
    const Json answer = desk.host().data("shell", {{"action", "poll"}, {"run_id", id}});
    for (const Json& item : answer["items"]) {
      if (item["payload"] == "flood") ++all;
      if (item["payload"] == "events_suppressed") all += item["meta"]["count"].get<std::int64_t>();
    }
    return answer["done"] == true;
  }));
  CHECK(all == 100);
}

TEST_CASE("a flood of matches is limited to its rate, and the rest is counted") {
  HandlerHost desk;
  desk.spawn("i=0; while [ $i -lt 500 ]; do echo hit; i=$((i+1)); done", "hit", "flood");
  const Json left = desk.event("events_suppressed");
  const auto told = std::count_if(desk.host().events.begin(), desk.host().events.end(),
                                  [](const Event& event) { return event.name == "flood"; });
  CHECK(told >= 20);
  CHECK(told < 60);
  CHECK(left["watchers"][0]["event"] == "flood");
  REQUIRE(desk.host().until([&] {
    std::int64_t all = 0;
    for (const Event& event : desk.host().events) {
      if (event.name == "flood") ++all;
      if (event.name == "events_suppressed") {
        all += Json::parse(event.json)["count"].get<std::int64_t>();
      }
    }
    return all == 500;
  }));
}

}  // namespace
}  // namespace gibbous::testing
