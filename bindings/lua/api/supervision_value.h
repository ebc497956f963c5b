// The fields `restart`, `ready` and `after` of run.start (docs/services.md). Any thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bindings/lua/vm/value.h"
#include "runtime/supervise/supervisor.h"

namespace gibbous::lua {

class Fields;

struct SupervisionRequest {
  std::optional<RestartPolicy> restart;
  std::optional<WaitSpec> ready;
  std::vector<std::string> after;  // ids, or labels of the session's runs

  bool wanted() const { return restart || ready || !after.empty(); }
};

// Throws WrongUse. `takes_after`: a run of the journal's queue waits only for its turn.
SupervisionRequest parse_supervision(Fields& fields, bool takes_after);

// The data of a start, now or again: the options of run.start, the caller, and what a person
// approved.
struct DeferredStart {
  std::string tool;
  std::string session;
  std::string client;
  Json options;
  bool approved = false;         // by a person
  std::string approved_command;  // which they have seen; "": the call as a whole
};
// Writes a Supervision::request, and reads it back.
std::string write_deferred_start(const DeferredStart& request);
DeferredStart read_deferred_start(const std::string& text);

}  // namespace gibbous::lua
