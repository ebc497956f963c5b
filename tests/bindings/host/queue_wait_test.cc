// Scripts that wait for the core instead of polling: journal.queue and wait.log.
#include <optional>

#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"

namespace gibbous::testing {
namespace {

using Catch::Matchers::Contains;

constexpr char kInit[] = R"(
local function probe(name, permission, run_it)
  return tool { name = name, description = 'probes', permission = permission,
    input = schema.object { id = schema.string { optional = true },
      wait_ms = schema.any { optional = true } }, run = run_it }
end
local function answer(value, err)
  if value == nil then tool.error(err.code, err.message) end
  return { data = value }
end
return { toolsets = { require 'toolsets.shell', { name = 'probe', tools = {
  probe('place', 'read', function(args)
    return answer(journal.queue(args.id, { wait_ms = args.wait_ms }))
  end),
  probe('logged', 'execute', function()
    local handle = run.start { command = 'seq 1 20000', log = { path = 'run.log' } }
    local open = handle:wait { wait.log(handle) }
    local written = handle:wait { all = { wait.exit(handle), wait.log(handle, { written = true }) } }
    return { data = { open = open.ok, written = written.ok, info = handle:info() } }
  end),
  probe('unwritable', 'execute', function()
    local handle = run.start { command = 'sleep 60', log = { path = 'taken' } }
    local seen = handle:wait { wait.log(handle) }
    return { data = { seen = seen.ok, error = handle:info().log[1].error } }
  end),
  probe('endless', 'execute', function()
    local handle = run.start { command = 'sleep 60', log = { path = 'endless.log' } }
    handle:wait { wait.log(handle, { written = true }) }
  end),
} } } }
)";

class Desk {
 public:
  Desk() {
    dir.write("scripts/init.lua", kInit);
    dir.write("taken/file", "");
    RuntimeOptions options = auto_mode();
    options.scripts_dir = dir.path() + "/scripts";
    options.state_dir = dir.path() + "/state";
    options.workspace = dir.path();
    host.emplace(std::move(options));
  }
  std::string spawn(const std::string& command) {
    return host->data("shell", {{"action", "spawn"}, {"command", command}})["run_id"];
  }
  Json place(const std::string& id, int wait_ms = 0) {
    return host->data("place", {{"id", id}, {"wait_ms", wait_ms}});
  }
  // Begins a call; its result arrives in the returned place.
  std::shared_ptr<std::optional<CallResult>> begin(const std::string& tool, const Json& args,
                                                   std::uint64_t* call = nullptr) {
    auto result = std::make_shared<std::optional<CallResult>>();
    const auto id = host->runtime->call({tool, args.dump()},
                                        [result](CallResult ended) { *result = std::move(ended); });
    if (call != nullptr) *call = id;
    return result;
  }

  TempDir dir;
  std::optional<Host> host;
};

TEST_CASE("a queued run knows which run of its session comes before it") {
  Desk desk;
  const std::string first = desk.spawn("sleep 600");
  REQUIRE(desk.place(first, 60'000)["state"] != "queued");
  const std::string second = desk.spawn("true");
  const std::string third = desk.spawn("true");
  CHECK(desk.place(second)["state"] == "queued");
  CHECK(desk.place(second)["before"]["id"] == first);
  CHECK(desk.place(third)["before"]["id"] == first);  // the one that is running, not the next one
  CHECK_FALSE(desk.place(first).contains("before"));
}

TEST_CASE("a wait for the queue ends when the run before is killed") {
  Desk desk;
  const std::string first = desk.spawn("sleep 600");
  const std::string second = desk.spawn("sleep 600");
  const auto result = desk.begin("place", {{"id", second}, {"wait_ms", 600'000}});
  REQUIRE(desk.place(first, 60'000)["state"] != "queued");
  CHECK_FALSE(result->has_value());
  desk.host->data("shell", {{"action", "kill"}, {"run_id", first}});
  REQUIRE(desk.host->until([&] { return result->has_value(); }));
  CHECK(Json::parse((*result)->data)["state"] != "queued");
}

TEST_CASE("a wait for the queue survives a reload, and ends at its timeout") {
  Desk desk;
  desk.spawn("sleep 600");
  const std::string second = desk.spawn("sleep 600");
  const auto result = desk.begin("place", {{"id", second}, {"wait_ms", 200}});
  REQUIRE(desk.host->runtime->reload().ok);
  REQUIRE(desk.host->until([&] { return result->has_value(); }));
  CHECK(Json::parse((*result)->data)["state"] == "queued");
}

TEST_CASE("a wait for the queue can be cancelled, and the runtime can end during one") {
  Desk desk;
  desk.spawn("sleep 600");
  const std::string second = desk.spawn("true");
  std::uint64_t call = 0;
  const auto cancelled = desk.begin("place", {{"id", second}, {"wait_ms", 600'000}}, &call);
  const auto left = desk.begin("place", {{"id", second}, {"wait_ms", 600'000}});
  REQUIRE(desk.place(second)["state"] == "queued");
  CHECK(desk.host->runtime->cancel(call));
  REQUIRE(desk.host->until([&] { return cancelled->has_value(); }));
  CHECK((*cancelled)->code == "cancelled");
  desk.host.reset();
  REQUIRE(left->has_value());
  CHECK_FALSE((*left)->ok);
}

TEST_CASE("an unknown run and a wrong time are errors of journal.queue") {
  Desk desk;
  REQUIRE(desk.place(desk.spawn("true"), 60'000)["state"] != "queued");
  CHECK(desk.host->call("place", {{"id", "nobody"}}).code == "run_not_found");
  const CallResult wrong = desk.host->call("place", {{"id", "x"}, {"wait_ms", -1}});
  CHECK(wrong.code == "script_error");
  CHECK_THAT(wrong.message, Contains("journal.queue: wait_ms: expected a number from 0"));
}

TEST_CASE("wait.log comes true when the file is open, and again when it has all output") {
  Desk desk;
  const Json data = desk.host->data("logged", Json::object());
  CHECK(data["open"] == true);
  CHECK(data["written"] == true);
  CHECK(data["info"]["log"][0]["bytes"] == data["info"]["stdout"]["bytes"]);
  CHECK(data["info"]["log"][0]["bytes"] == 108'894);
}

TEST_CASE("wait.log comes true for a file that cannot be written, and the log says why") {
  Desk desk;
  const Json data = desk.host->data("unwritable", Json::object());
  CHECK(data["seen"] == true);
  CHECK_FALSE(data["error"].get<std::string>().empty());
}

TEST_CASE("a wait for a log ends with its call") {
  Desk desk;
  std::uint64_t call = 0;
  const auto result = desk.begin("endless", Json::object(), &call);
  REQUIRE(desk.host->until([&] { return desk.host->saw_event("run_started"); }));
  REQUIRE(desk.host->runtime->reload().ok);
  CHECK(desk.host->runtime->cancel(call));
  REQUIRE(desk.host->until([&] { return result->has_value(); }));
  CHECK((*result)->code == "cancelled");
}

}  // namespace
}  // namespace gibbous::testing
