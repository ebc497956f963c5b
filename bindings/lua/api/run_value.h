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

inline constexpr std::size_t kDefaultReadBytes = std::size_t{64} << 10;
inline constexpr std::size_t kMaxReadBytes = std::size_t{2} << 20;
inline constexpr double kMaxMillis = 30.0 * 24 * 3600 * 1000;  // 30 days

struct StartOptions {
  RunSpec spec;
  Json sandbox;  // a request, or null
  ExecutorRequest executor;
  std::optional<bool> keep;  // on_host_death, when it is said
  bool detach = false;
  std::shared_ptr<const WatchPatterns> watch;  // null: none
  SupervisionRequest supervision;
  Json asked;                   // as the script gave it; when it is supervised
  bool safe_to_repeat = false;  // of run.queue
  std::string session;          // of run.queue; "": the call's
};

// The options of run.start, and of run.queue, which has some more; throws WrongUse.
StartOptions parse_start(const Json& options, bool queued = false);
// The table of h:info().
Json run_info(const Run& run, const Clock& clock);
// h:read, h:tail, h:excerpt: options as scripts give them; throw WrongUse.
Json read_stream(Run& run, const Json& options);
Json tail_stream(Run& run, const Json& options);
Json excerpt_stream(Run& run, const Json& options);
Json error_excerpt_of(Run& run, const Json& options);
// The table of h:usage().
Json usage_value(const Run& run, const RunUsage& usage);
Json kill_report(const KillReport& report);

}  // namespace gibbous::lua
