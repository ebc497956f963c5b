// Watchers of screens, on real programs: dialogs, editors, progress drawn in place, and floods.
#include <algorithm>
#include <chrono>
#include <optional>
#include <set>

#include "runtime/watch/screen_pace.h"
#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous::testing {
namespace {

constexpr int kRows = 24;
// More than are reported at once.
constexpr std::size_t kTold = 22;

constexpr char kInit[] = R"(
local watch = tool {
  name = 'watch', description = 'adds watchers', permission = 'execute',
  input = schema.object { id = schema.string {}, watch = schema.any {} },
  run = function(args)
    local ok, err = run.get(args.id):watch(args.watch)
    if not ok then tool.error(err.code, err.message) end
    return 'ok'
  end,
}
local start = tool {
  name = 'start', description = 'starts a run', permission = 'execute',
  input = schema.object { options = schema.any {} },
  run = function(args)
    local handle, err = run.start(args.options)
    if not handle then tool.error(err.code, err.message) end
    return { text = handle.id, data = { id = handle.id } }
  end,
}
return { toolsets = { require 'toolsets.shell', { name = 'more', tools = { watch, start } } } }
)";

class Desk {
 public:
  Desk() {
    dir_.write("init.lua", kInit);
    RuntimeOptions options = auto_mode();
    options.mode = "dangerous";
    options.scripts_dir = dir_.path();
    options.state_dir = dir_.path() + "/state";
    host_.emplace(std::move(options));
  }
  Host& host() { return *host_; }
  std::string spawn(const std::string& command, const std::vector<Json>& watch) {
    return host().data(
        "shell",
        {{"action", "spawn"}, {"command", command}, {"pty", true}, {"watch", watch}})["run_id"];
  }
  void type(const std::string& id, const std::string& keys) {
    host().data("shell", {{"action", "send_keys"}, {"run_id", id}, {"keys", keys}});
  }
  void kill(const std::string& id) { host().data("shell", {{"action", "kill"}, {"run_id", id}}); }
  std::vector<Json> events(const std::string& name) {
    std::vector<Json> found;
    for (const Event& event : host().events) {
      if (event.name == name) found.push_back(Json::parse(event.json));
    }
    return found;
  }
  Json event(const std::string& name, std::size_t number = 1) {
    INFO("event " << name << ", number " << number);
    REQUIRE(host().until([&] { return events(name).size() >= number; }));
    return events(name)[number - 1];
  }

 private:
  TempDir dir_;
  std::optional<Host> host_;
};

Json on_screen(const std::string& regex, const std::string& event) {
  return {{"regex", regex}, {"event", event}, {"scope", "screen"}};
}

TEST_CASE("a dialog is reported once, with its place, even if it is redrawn") {
  Desk desk;
  const std::string id = desk.spawn("whiptail --yesno 'Remove 12 packages?' 10 40",
                                    {on_screen("Remove (\\d+) packages", "asked")});
  const Json asked = desk.event("asked");
  CHECK(asked["stream"] == "screen");
  CHECK(asked["row"].get<int>() > 1);
  CHECK(asked["captures"][0] == "12");
  CHECK(asked["line"].get<std::string>().find("Remove 12 packages?") != std::string::npos);
  CHECK_FALSE(asked.contains("line_number"));
  CHECK_FALSE(asked.contains("offset"));
  desk.type(id, "<Tab><Tab><Right><Left>");
  desk.type(id, "<Tab>");
  desk.type(id, "<Enter>");
  desk.event("run_ended");
  CHECK(desk.events("asked").size() == 1);
}

TEST_CASE("an editor's mode is reported each time it appears") {
  Desk desk;
  const std::string id =
      desk.spawn("vi -u NONE -i NONE -c 'set showmode' note.txt",
                 {on_screen("note\\.txt", "open"), on_screen("-- INSERT --", "insert"),
                  on_screen("^normal", "normal")});
  desk.event("open");  // it drops what was typed before
  desk.type(id, "ione");
  CHECK(desk.event("insert")["row"] == kRows);
  desk.type(id, "<Esc>");
  desk.type(id, ":echo 'nor'.'mal'<Enter>");
  desk.event("normal");
  desk.type(id, "otwo");
  desk.event("insert", 2);
  desk.type(id, "<Enter>three<Esc>:q!<Enter>");
  desk.event("run_ended");
  CHECK(desk.events("insert").size() == 2);
}

TEST_CASE("progress drawn in place is reported as it advances, without a line end") {
  Desk desk;
  const std::string id = desk.spawn(
      "stty -echo; for p in 10 20 30; do for s in a b c; do printf '\\033[3;5H%s %s%%\\r' $s $p; "
      "read line; done; done",
      {on_screen("(\\d+)%", "progress")});
  for (const std::size_t step : {1, 2, 3}) {
    const Json progress = desk.event("progress", step);
    CHECK(progress["captures"][0] == std::to_string(step) + "0");
    CHECK(progress["row"] == 3);
    for (int spin = 0; spin < 3; ++spin) desk.type(id, "<Enter>");
  }
  desk.event("run_ended");
  CHECK(desk.events("progress").size() == 3);
}

TEST_CASE("top is reported each time it appears, and once with once") {
  Desk desk;
  Json once = on_screen("load average: ", "shown");
  once["once"] = true;
  const std::string id =
      desk.spawn("top -d 0.3", {on_screen("^top - (\\d+:\\d+:\\d+)", "tick"), once});
  desk.event("tick", 3);
  desk.type(id, "q");
  desk.event("run_ended");
  CHECK(desk.events("shown").size() == 1);
  std::set<std::string> times;
  for (const Json& tick : desk.events("tick")) times.insert(tick["captures"][0].get<std::string>());
  CHECK(times.size() == desk.events("tick").size());
}

TEST_CASE("a flood is examined a few times a second") {
  using Time = std::chrono::steady_clock;
  Desk desk;
  const auto begin = Time::now();
  const std::string id = desk.spawn("seq 1 1000000000", {on_screen("^\\d+$", "line")});
  desk.event("line", kTold);
  desk.kill(id);
  desk.event("run_ended");
  const auto lasted = Time::now() - begin;
  std::int64_t rows = static_cast<std::int64_t>(desk.events("line").size());
  for (const Json& left : desk.events("events_suppressed")) rows += left["count"].get<int>();
  INFO(rows << " rows were reported or left out");
  CHECK(rows <= kRows * (2 + lasted / kScreenQuiet));
}

TEST_CASE("the screen contents when a run is killed are reported") {
  Desk desk;
  const std::string id =
      desk.spawn("printf ready; read line; printf '\\033[2J\\033[5Hlast words'; kill -KILL $$",
                 {on_screen("ready", "ready"), on_screen("last words", "last")});
  desk.event("ready");
  desk.type(id, "<Enter>");
  CHECK(desk.event("last")["row"] == 5);
  desk.event("run_ended");
  CHECK(desk.events("last").size() == 1);
}

TEST_CASE("a watcher added later reports what the screen shows now") {
  Desk desk;
  const std::string id = desk.spawn("printf 'gone\\033[2J\\033[7Hstill here'; exec sleep 600",
                                    {on_screen("still", "first")});
  desk.event("first");
  Json watcher = on_screen("here|gone", "later");
  watcher["context_before"] = 2;
  REQUIRE(desk.host().call("watch", {{"id", id}, {"watch", Json::array({watcher})}}).ok);
  const Json later = desk.event("later");
  CHECK(later["line"] == "still here");
  CHECK(later["row"] == 7);
  CHECK(later["before"] == Json({"", ""}));
  desk.kill(id);
  desk.event("run_ended");
  REQUIRE(desk.host()
              .call("watch", {{"id", id}, {"watch", Json::array({on_screen("here", "after")})}})
              .ok);
  CHECK(desk.event("after")["row"] == 7);
  CHECK(desk.events("later").size() == 1);
}

TEST_CASE("a screen of a run without a terminal is refused, and the field is named") {
  Desk desk;
  using Catch::Matchers::Contains;
  const Json watch = {{{"regex", "x"}, {"event", "x"}}, on_screen("x", "x")};
  const auto refusal = [&](const std::string& tool, const Json& args) {
    const CallResult result = desk.host().call(tool, args);
    CHECK_FALSE(result.ok);
    return result.message;
  };
  CHECK_THAT(refusal("start", {{"options", {{"command", "echo x"}, {"watch", watch}}}}),
             Contains("run.start: watch[2]: scope: 'screen'") && Contains("start it with pty"));
  CHECK_THAT(refusal("shell", {{"action", "spawn"}, {"command", "echo x"}, {"watch", watch}}),
             Contains("args.watch[1].scope: 'screen' needs a terminal"));
  const std::string id =
      desk.host().data("shell", {{"action", "spawn"}, {"command", "exec sleep 600"}})["run_id"];
  desk.event("run_started");
  CHECK_THAT(refusal("watch", {{"id", id}, {"watch", watch}}),
             Contains("run:watch: watch[2]: scope: 'screen'"));
  const Json wrong = {{{"regex", "x"}, {"event", "x"}, {"scope", "scren"}}};
  CHECK_THAT(refusal("start", {{"options", {{"command", "x"}, {"watch", wrong}, {"pty", true}}}}),
             Contains("scope") && Contains("screen"));
}

}  // namespace
}  // namespace gibbous::testing
