// The runs of a call end with it: real runs, through the keeper.
#include <signal.h>

#include "bindings/lua/call/call.h"
#include "runtime/keeper/client.h"
#include "runtime/runs/runs.h"
#include "runtime/wait/waits.h"
#include "tests/bindings/lua/call/engine_fixture.h"

using gibbous::CallId;
using gibbous::CallResult;
using gibbous::Json;
using gibbous::Millis;
using gibbous::Run;
using gibbous::Runs;
using gibbous::RunsOptions;
using gibbous::Waits;
using gibbous::testing::contains;
using gibbous::testing::World;

namespace {

constexpr char kTools[] =
    "local function start(args)\n"
    "  return assert(run.start({ argv = { 'sleep', '600' }, detach = args.detach }))\n"
    "end\n"
    "define('leaves', function(args)\n"
    "  local h = start(args)\n"
    "  return { data = { id = h.id, pid = h:info().pid } }\n"
    "end)\n"
    "define('waits', function(args)\n"
    "  local h = start(args)\n"
    "  store.set('pid', h:info().pid)\n"
    "  h:wait({ wait.exit(h) })\n"
    "  return 'ended'\n"
    "end)\n"
    "define('fails', function(args)\n"
    "  store.set('pid', start(args):info().pid)\n"
    "  error('no luck')\n"
    "end)\n"
    "define('asks_writers', function(args)\n"
    "  local good, err = pcall(start(args).writers, start(args), args.options)\n"
    "  return { data = { good = good, text = good and '' or tostring(err) } }\n"
    "end)\n"
    "define('outer', function(args)\n"
    "  tool.call('waits', args)\n"
    "end)\n";

class RunWorld : public World {
 public:
  RunWorld() {
    RunsOptions runs_options;
    runs_options.limits.kill_grace = Millis{200};
    runs_options.workspace = dir.path();
    runs_options.env = {"PATH=/usr/bin:/bin"};
    runs_options.keeper_path = gibbous::testing::program_directory() + "/gibbous-keeper";
    auto made = Runs::create(loop.get(), clock, runs_options);
    REQUIRE(made.ok());
    runs = std::move(*made);
    waits = Waits::create(loop.get(), clock, *runs);
    context.runs = runs.get();
    context.waits = waits.get();
    start(kTools);
  }
  ~RunWorld() {
    engine.reset();
    int open = 2;
    waits->close([&] { --open; });
    runs->close([&] { --open; });
    CHECK(loop.until([&] { return open == 0; }));
  }
  std::unique_ptr<Runs> runs;
  std::unique_ptr<Waits> waits;
};

bool alive(pid_t pid) {
  return ::kill(pid, 0) == 0;
}

TEST_CASE("the writers of a run are asked for with a list of at most 16 variables") {
  RunWorld world;
  const auto said = [&](const Json& options) {
    const CallResult result = world.run("asks_writers", Json{{"options", options}}.dump());
    REQUIRE(result.ok);
    return Json::parse(result.data);
  };
  CHECK(said(Json::object())["good"] == true);
  CHECK(contains(said({{"variables", "A"}})["text"].get<std::string>(), "run:writers: variables"));
  CHECK(
      contains(said({{"variables", std::vector<std::string>(17, "A")}})["text"].get<std::string>(),
               "at most 16 names"));
  CHECK(contains(said({{"variable", Json::array()}})["text"].get<std::string>(),
                 "did you mean 'variables'"));
}

}  // namespace

TEST_CASE("a run that its call left behind is dead before the result comes") {
  RunWorld world;
  const CallResult result = world.run("leaves");
  INFO(result.message);
  REQUIRE(result.ok);
  const Json data = Json::parse(result.data);
  CHECK_FALSE(alive(data["pid"].get<pid_t>()));
  const Run* run = world.runs->find(data["id"].get<std::string>());
  REQUIRE(run != nullptr);
  CHECK(run->ended());
}

TEST_CASE("a detached run outlives its call") {
  RunWorld world;
  const CallResult result = world.run("leaves", R"({"detach":true})");
  REQUIRE(result.ok);
  CHECK(alive(Json::parse(result.data)["pid"].get<pid_t>()));
}

TEST_CASE("a failed call ends its runs") {
  RunWorld world;
  const CallResult result = world.run("fails");
  CHECK(contains(result.message, "no luck"));
  CHECK_FALSE(alive(world.noted("pid").get<pid_t>()));
}

TEST_CASE("a cancelled call takes its runs with it, also those of calls that it made") {
  RunWorld world;
  for (const char* name : {"waits", "outer"}) {
    const CallId id = world.begin(name);
    REQUIRE(world.until([&] { return !world.noted("pid").is_null(); }));
    const auto pid = world.noted("pid").get<pid_t>();
    CHECK(alive(pid));
    world.engine->cancel(id);
    CHECK(world.finish(id).code == "cancelled");
    CHECK_FALSE(alive(pid));
    world.store.erase(world.tools_file, "pid");
  }
}

TEST_CASE("the engine can be destroyed while calls have runs") {
  RunWorld world;
  const CallId id = world.begin("waits");
  REQUIRE(world.until([&] { return !world.noted("pid").is_null(); }));
  world.engine.reset();
  CHECK(world.results[id].code == "shutdown");
}
