// The usage of a run that is executed elsewhere, as its executor measures it (docs/executors.md).
// Used by run:usage(). Loop thread only.
#pragma once

#include <functional>

#include "bindings/lua/vm/value.h"
#include "runtime/runs/runs.h"

namespace gibbous::lua {

struct Context;

// on_answer comes once, later or at once: an object with by, processes, rss_bytes, cpu_percent and,
// as far as the executor knows them, threads and cpu_time_ms; or null, when it has no answer within
// 3 seconds. Returns a function that cancels the question: no answer comes then.
std::function<void()> ask_executor_usage(Context& context, const Run& run,
                                         std::function<void(const Json&)> on_answer);

}  // namespace gibbous::lua
