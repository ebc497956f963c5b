// The fields `restart`, `ready` and `after` of run.start (docs/services.md). Any thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bindings/lua/call/call_spec.h"
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

// Writes a Supervision::request, and reads it back: the hook that starts the run, now or again,
// with the options of run.start as its values, the caller, and what a person approved.
std::string write_deferred_start(const CallSpec& start);
CallSpec read_deferred_start(const std::string& text);

}  // namespace gibbous::lua
