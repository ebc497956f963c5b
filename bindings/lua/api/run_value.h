// Runs as scripts see them: options in, plain tables out. Used by api_run.cc. Loop thread only.
#pragma once

#include <string>

#include <memory>

#include "bindings/lua/api/supervision_value.h"
#include "bindings/lua/executor/executor.h"
#include "bindings/lua/vm/value.h"
#include "runtime/runs/runs.h"
#include "runtime/watch/watch_patterns.h"

namespace gibbous::lua {

inline constexpr double kMaxMillis = 30.0 * 24 * 3600 * 1000;  // 30 days

struct StartOptions {
  RunSpec spec;
  Json sandbox;                                // a request, or null
  std::vector<std::string> allow;              // beyond a confined run: see read_wishes
  std::map<std::string, std::string> secrets;  // their names, by variable
  ExecutorRequest executor;
  std::optional<bool> keep;  // on_host_death, if it was given
  bool detach = false;
  std::shared_ptr<const WatchPatterns> watch;  // null: none
  SupervisionRequest supervision;
  Json asked;                     // as the script gave it, for a supervised run
  bool safe_to_repeat = false;    // of run.queue
  std::string session;            // of run.queue; "": the call's
  std::string request_id;         // of run.queue; "": none
  std::int64_t priority = 0;      // of run.queue; higher ones first
  std::int64_t max_attempts = 0;  // of run.queue; 0: as configured
};

// The options of run.start, and of run.queue, which has some more; throws WrongUse.
StartOptions parse_start(const Json& options, bool queued = false);
// The table of h:info().
Json run_info(const Run& run, const Clock& clock);
// Returns how it stands, without what costs more to say.
Json run_summary(const Run& run, const Clock& clock);
// Pushes the same as a table; raises when the turn's budget is used up.
void push_run_summary(lua_State* state, const Run& run, const Clock& clock);
// The table of h:usage().
Json usage_value(const Run& run, const RunUsage& usage);
Json kill_report(const KillReport& report);

}  // namespace gibbous::lua
