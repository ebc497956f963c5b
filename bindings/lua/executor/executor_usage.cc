// The usage of a run that is executed elsewhere, as its executor measures it (docs/executors.md).
#include "bindings/lua/executor/executor.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "bindings/lua/call/context.h"
#include "bindings/lua/call/engine.h"
#include "bindings/lua/check/fields.h"
#include "bindings/lua/executor/executor_hook.h"

namespace gibbous::lua {
namespace {

constexpr Millis kUsageLimit{3'000};  // a listing of runs waits for it
// A late answer goes to the next question, unless that comes much later.
constexpr Millis kLateLimit{30'000};
constexpr std::int64_t kMaxProcesses = 10'000'000;
constexpr std::int64_t kMaxBytes = std::int64_t{1} << 53;
constexpr double kMaxPercent = 1e7;
constexpr double kTenths = 10.0;

// Returns per cent of one processor since the last question or the start, as Runs::usage does.
double percent_since(Context& context, const Run& run, double cpu_time_ms) {
  const Nanos now = context.clock->now();
  const Nanos started = now - std::chrono::duration_cast<Nanos>(run.runtime(*context.clock));
  ExecutorUsage& known = context.executor_usage[run.id()];
  const double before_ms = std::exchange(known.cpu_time_ms, cpu_time_ms);
  const Nanos before = std::max(started, std::exchange(known.measured_at, now));
  const double passed_ms = std::chrono::duration<double, std::milli>(now - before).count();
  constexpr double kPercent = 100.0;
  if (passed_ms <= 0) return 0;
  return std::max(0.0, kPercent * (cpu_time_ms - before_ms) / passed_ms);
}

// Throws WrongUse.
Json read_usage(Context& context, const Run& run, const Json& answer) {
  const std::string& executor = run.spec().execution->executor;
  Fields fields("executor " + executor + ": usage", answer);
  const auto processes = fields.integer("processes", 0, kMaxProcesses);
  if (!processes) fields.fail("processes", "a number of processes", nullptr);
  const auto bytes = fields.integer("rss_bytes", 0, kMaxBytes);
  if (!bytes) fields.fail("rss_bytes", "a number of bytes", nullptr);
  const auto threads = fields.integer("threads", 0, kMaxProcesses);
  const auto percent = fields.number("cpu_percent", 0, kMaxPercent);
  const auto time = fields.number("cpu_time_ms", 0, static_cast<double>(kMaxBytes));
  if (!percent && !time) fields.fail("expected one of cpu_percent and cpu_time_ms, or both");
  fields.done();
  const double used = percent ? *percent : percent_since(context, run, *time);
  Json usage = {{"by", executor},
                {"processes", *processes},
                {"rss_bytes", *bytes},
                {"cpu_percent", std::round(used * kTenths) / kTenths}};
  if (threads) usage["threads"] = *threads;
  if (time) usage["cpu_time_ms"] = std::llround(*time);
  return usage;
}

// Returns the answer, or null when it is invalid.
Json checked_usage(Context& context, const std::string& id, const Json& said) {
  const Run* run = context.runs->find(id);
  if (run == nullptr || said.is_null()) return {};
  try {
    return read_usage(context, *run, said);
  } catch (const WrongUse& wrong) {
    context.engine->log("warn", wrong.what(), Json{{"run", id}}, run->spec().session);
    return {};
  }
}

void forget_old_runs(Context& context) {
  std::erase_if(context.executor_usage,
                [&](const auto& each) { return context.runs->find(each.first) == nullptr; });
}

void keep_late_usage(Context& context, const std::string& id, const Json& said) {
  Json usage = checked_usage(context, id, said);
  if (usage.is_null()) return;
  ExecutorUsage& known = context.executor_usage[id];
  known.late = std::move(usage);
  known.late_at = context.clock->now();
}

// Returns the answer to the previous question if it came too late for that one; null when there is
// none.
Json take_late_usage(Context& context, const std::string& id) {
  const auto known = context.executor_usage.find(id);
  if (known == context.executor_usage.end()) return {};
  const bool recent = context.clock->now() - known->second.late_at <= kLateLimit;
  Json late = std::exchange(known->second.late, Json());
  return recent ? late : Json();
}

}  // namespace

std::function<void()> ask_executor_usage(Context& context, const Run& run,
                                         std::function<void(const Json&)> on_answer) {
  const auto& execution = run.spec().execution;
  const auto nothing = [] {};
  if (!execution || run.ended()) {
    on_answer(Json());
    return nothing;
  }
  const ExecutorDefinition* found = find_executor(execution->executor, context);
  // It may have ended since.
  if (found == nullptr || !found->usage) {
    on_answer(Json());
    return nothing;
  }
  forget_old_runs(context);
  if (const Json late = take_late_usage(context, run.id()); !late.is_null()) {
    on_answer(late);
    return nothing;
  }
  Json arguments = {{"run", run.id()}, {"state", Json::parse(execution->state, nullptr, false)}};
  return ask_executor_within(
      context,
      executor_hook(execution->executor, found->usage, run.spec().session, std::move(arguments)),
      kUsageLimit,
      {[&context, id = run.id(), on_answer = std::move(on_answer)](const Json& said) {
         on_answer(checked_usage(context, id, said));
       },
       [&context, id = run.id()](const Json& said) { keep_late_usage(context, id, said); },
       kLateLimit});
}

}  // namespace gibbous::lua
