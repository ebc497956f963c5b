// What a run that is executed elsewhere costs there, as its executor measures it
// (docs/executors.md). Used by run:usage(). Loop thread only.
#pragma once

#include <functional>

#include "bindings/lua/vm/value.h"
#include "runtime/runs/runs.h"

namespace gibbous::lua {

struct Context;

// on_answer comes once, later or at once: an object with by, processes, rss_bytes, cpu_percent and,
// as far as the executor knows them, threads and cpu_time_ms; or null, when it cannot tell, or not
// within 3 seconds. Gives a function that gives the question up: no answer comes then.
std::function<void()> ask_executor_usage(Context& context, const Run& run,
                                         std::function<void(const Json&)> on_answer);

}  // namespace gibbous::lua
