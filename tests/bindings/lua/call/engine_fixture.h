// Shared by the tests of the engine: a world with a loop, a directory of scripts, and an engine
// that runs until a condition is true.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bindings/lua/api/api.h"
#include "bindings/lua/api/script_store.h"
#include "bindings/lua/call/context.h"
#include "bindings/lua/call/engine.h"
#include "runtime/base/clock.h"
#include "tests/support/catch.h"
#include "tests/support/loop.h"
#include "tests/support/ticking_clock.h"

namespace gibbous::testing {

inline constexpr char kAllowEverything[] =
    "return { modes = { default = {} }, decide = function(effect)\n"
    "  return { decision = 'allow', rule = 'all' }\n"
    "end }\n";

// The first line of every script of a World: `define` adds a tool with any arguments to `tools`.
inline constexpr char kPrelude[] =
    "local tools = {} local function define(name, run, more) local t = { name = name, description "
    "= name, "
    "permission = 'read', input = schema.object({}, { additional = true }), run = run } "
    "for k, v in pairs(more or {}) do t[k] = v end tools[#tools + 1] = tool(t) end\n";
// Lua time between two turns of the loop, as in a host with frames.
inline constexpr Millis kTurn{4};
inline constexpr int kFirstLine = 2;  // of the text of a test
#ifdef GIBBOUS_SANITIZED
inline constexpr int kSlowness = 10;  // what a step may hold the loop is meant for a plain build
#else
inline constexpr int kSlowness = 1;
#endif

class World {
 public:
  World() {
    context.loop = loop.get();
    context.clock = &clock;
    context.store = &store;
    context.workspace = "/workspace";
    options.generation.scripts_dir = dir.path() + "/scripts";
    options.generation.policies_dir = dir.path() + "/policies";
    options.generation.mode = "default";
    options.generation.open_api = lua::open_api;
    options.limits.hold *= kSlowness;
    (void)dir.write("scripts/init.lua", "return { toolsets = { require 'tools' } }\n");
    policy(kAllowEverything);
  }
  ~World() { engine.reset(); }

  // Tools, defined with `define(name, function(args, ctx) ... end, more)`; line kFirstLine is the
  // first.
  void script(const std::string& body) {
    tools_file = dir.write("scripts/tools.lua",
                           kPrelude + body + "\nreturn { name = 'tools', tools = tools }\n");
  }
  void policy(const std::string& text) { (void)dir.write("policies/init.lua", text); }
  void start() {
    auto made = lua::Engine::create(options, context);
    INFO((made.ok() ? "" : made.status().message()));
    REQUIRE(made.ok());
    engine = std::move(*made);
    engine->host.on_event = [this](const Event& event) { events.push_back(event); };
  }
  void start(const std::string& body) {
    script(body);
    start();
  }

  // Starts a call; its result lands in results[id].
  CallId begin(const std::string& tool, const std::string& arguments = "{}",
               const std::string& session = "", int priority = 0) {
    const CallId id = ++last_id;
    CallRequest request;
    request.tool = tool;
    request.arguments = arguments;
    request.session = session;
    request.wants_progress = true;
    request.priority = priority;
    engine->call(
        id, request,
        [this, id](const CallResult& result) {
          REQUIRE(results.count(id) == 0);
          results[id] = result;
          order.push_back(id);
        },
        [this, id](const Progress& each) {
          REQUIRE(results.count(id) == 0);
          progress[id].push_back(each);
        });
    return id;
  }
  bool until(const std::function<bool()>& condition) {
    return loop.until([&] {
      engine->run_ready(kTurn);
      return condition();
    });
  }
  // Runs until everything waits.
  void settle() {
    REQUIRE(until([&] { return !engine->has_ready(); }));
  }
  CallResult finish(CallId id) {
    REQUIRE(until([&] { return results.count(id) != 0; }));
    return results[id];
  }
  CallResult run(const std::string& tool, const std::string& arguments = "{}",
                 const std::string& session = "") {
    return finish(begin(tool, arguments, session));
  }
  // Returns what a tool stored with store.set(key, ...).
  Json noted(const std::string& key) const {
    const Json* value = store.get(tools_file, key);
    return value == nullptr ? Json() : *value;
  }
  std::vector<Event> events_named(const std::string& name) const {
    std::vector<Event> found;
    for (const Event& event : events) {
      if (event.name == name) found.push_back(event);
    }
    return found;
  }

  Loop loop;
  SystemClock clock;
  TempDir dir;
  lua::ScriptStore store;
  lua::Context context;
  lua::EngineOptions options;
  std::string tools_file;
  std::vector<Event> events;
  std::map<CallId, CallResult> results;
  std::map<CallId, std::vector<Progress>> progress;
  std::vector<CallId> order;
  CallId last_id = 0;
  std::unique_ptr<lua::Engine> engine;
};

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace gibbous::testing
