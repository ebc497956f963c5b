// What a call is made of, whatever makes it: a host, a script (tool.call), or the engine itself,
// which calls a function of the scripts to start a run that was queued, or because a watcher has
// matched.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "bindings/lua/call/queued_place.h"
#include "bindings/lua/load/generation.h"
#include "bindings/lua/vm/value.h"
#include "gibbous/runtime.h"

namespace gibbous::lua {

class Call;

struct CallSpec : CallRequest {
  // Set by the engine.
  CallId id = 0;
  std::shared_ptr<Generation> generation;
  Call* parent = nullptr;  // whose script calls the tool

  std::string client;  // whose runs it may see; "": the session
  Json values;         // the arguments where they are not text; null: see `arguments`
  std::function<void(CallResult)> on_done;
  std::function<void(const Progress&)> on_progress;

  // For Engine::run_hook. The policy judges the effects of a hook, not the call itself, and `tool`
  // is the owner of its effects.
  const LuaRef* function = nullptr;  // of the current generation; null: see `handler`
  std::string handler;               // of a watcher, "on_ready"; "": start the run `queued_run`
  bool internal = false;             // an executor's: its effects are not judged
  std::string queued_run;
  std::shared_ptr<const QueuedPlace> queued_place;  // where that run was queued; may be null
  bool starts_reserved =
      false;              // whether queued_run is a reserved run of the table (Runs::reserve)
  bool approved = false;  // whether a person allowed it; else the current mode is asked again
  std::string approved_command;  // what they saw
};

}  // namespace gibbous::lua
