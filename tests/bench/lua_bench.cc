// What Lua costs: a whole call of a trivial tool through the facade, and the plain pcall beside it.
#include <lua.hpp>

#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "gibbous/runtime.h"
#include "tests/bench/harness.h"

namespace gibbous::bench {
namespace {

constexpr Amount<int> kCalls{20'000, 500};

// One lua_pcall of a registered function that returns its argument.
double plain_pcall_micros() {
  lua_State* state = luaL_newstate();
  luaL_openlibs(state);
  luaJIT_setmode(state, 0, LUAJIT_MODE_ENGINE | LUAJIT_MODE_OFF);
  if (luaL_dostring(state, "return function(args) return args.message end") != 0) std::abort();
  const int ref = luaL_ref(state, LUA_REGISTRYINDEX);
  const double millis = timed([&] {
    for (int i = 0; i < kCalls; ++i) {
      lua_rawgeti(state, LUA_REGISTRYINDEX, ref);
      lua_newtable(state);
      lua_pushstring(state, "hi");
      lua_setfield(state, -2, "message");
      if (lua_pcall(state, 1, 1, 0) != 0) std::abort();
      lua_pop(state, 1);
    }
  });
  lua_close(state);
  return millis * 1000 / kCalls;
}

}  // namespace

void bench_lua(Report& report) {
  report.section("Lua");
  const auto directory =
      std::filesystem::temp_directory_path() / ("gibbous-bench-lua-" + std::to_string(::getpid()));
  std::filesystem::create_directories(directory);
  std::ofstream(directory / "init.lua") << R"(
local echo = tool {
  name = 'echo', description = 'Gives back its message.', permission = 'read',
  input = schema.object { message = schema.string {} },
  run = function(args) return args.message end,
}
return { toolsets = { { name = 'bench', tools = { echo } } } }
)";
  RuntimeOptions options;
  options.scripts_dir = directory.string();
  auto runtime = Runtime::create(options);
  if (!runtime) {
    report.note(runtime.status().message());
    return;
  }
  int done = 0;
  const double millis = timed([&] {
    for (int i = 0; i < kCalls; ++i) {
      (*runtime)->call({"echo", R"({"message":"hi"})"}, [&](const CallResult& result) {
        if (!result.ok) std::abort();
        ++done;
      });
      while (done <= i) (*runtime)->poll();
    }
  });
  report.add({"call: JSON, schema, policy, coroutine, result",
              "µs",
              millis * 1000 / kCalls,
              plain_pcall_micros(),
              "bare lua_pcall",
              {},
              {}});
  std::vector<double> reloads;
  constexpr Amount<int> kReloads{20, 2};
  constexpr double kMaxReloadMillis = 10;
  for (int i = 0; i < kReloads; ++i) {
    reloads.push_back(timed([&] { (void)(*runtime)->reload(); }));
  }
  report.add({"reload", "ms", median(reloads), {}, "", {}, kMaxReloadMillis});
  runtime->reset();
  std::filesystem::remove_all(directory);
}

}  // namespace gibbous::bench
