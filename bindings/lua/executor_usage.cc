#include "bindings/lua/executor_usage.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "bindings/lua/engine.h"
#include "bindings/lua/executor_hook.h"
#include "bindings/lua/fields.h"
#include "bindings/lua/one_shot_timer.h"
#include "bindings/lua/services.h"

namespace gibbous::lua {
namespace {

constexpr Millis kAnswerLimit{3'000};  // a listing of runs waits for it
constexpr std::int64_t kMaxProcesses = 10'000'000;
constexpr std::int64_t kMaxBytes = std::int64_t{1} << 53;
constexpr double kMaxPercent = 1e7;
constexpr double kTenths = 10.0;

// Of one processor, since this was asked last, or since the start; as Runs::usage has it.
double percent_since(Services& services, const Run& run, double cpu_time_ms) {
  std::erase_if(services.executor_cpu,
                [&](const auto& each) { return services.runs->find(each.first) == nullptr; });
  const Nanos now = services.clock->now();
  const Nanos started = now - std::chrono::duration_cast<Nanos>(run.runtime(*services.clock));
  const CpuSample before =
      services.executor_cpu.try_emplace(run.id(), CpuSample{started, 0}).first->second;
  services.executor_cpu[run.id()] = {now, cpu_time_ms};
  const double passed_ms = std::chrono::duration<double, std::milli>(now - before.at).count();
  constexpr double kPercent = 100.0;
  if (passed_ms <= 0) return 0;
  return std::max(0.0, kPercent * (cpu_time_ms - before.cpu_time_ms) / passed_ms);
}

// Throws WrongUse.
Json read_usage(Services& services, const Run& run, const Json& answer) {
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
  const double used = percent ? *percent : percent_since(services, run, *time);
  Json usage = {{"by", executor},
                {"processes", *processes},
                {"rss_bytes", *bytes},
                {"cpu_percent", std::round(used * kTenths) / kTenths}};
  if (threads) usage["threads"] = *threads;
  if (time) usage["cpu_time_ms"] = std::llround(*time);
  return usage;
}

// One question on its way. What waits for it (the hook, the timer) holds it until it is over.
class UsageQuestion : public std::enable_shared_from_this<UsageQuestion> {
 public:
  UsageQuestion(Services& services, const Run& run, std::function<void(const Json&)> on_answer)
      : services_(services),
        run_(run.id()),
        session_(run.spec().session),
        on_answer_(std::move(on_answer)) {}

  void ask(HookCall hook) {
    timer_.start(services_.loop, kAnswerLimit, /*background=*/true, [self = shared_from_this()] {
      self->end_hook();
      self->answer(Json());
    });
    hook.on_done = [self = shared_from_this()](const CallResult& result) { self->take(result); };
    hook_ = services_.engine->run_hook(std::move(hook));
  }

  void give_up() {
    if (!on_answer_) return;
    on_answer_ = nullptr;
    timer_.stop();
    end_hook();
  }

 private:
  void end_hook() {
    if (services_.engine != nullptr) (void)services_.engine->cancel(hook_);
  }

  void take(const CallResult& result) {
    if (!on_answer_) return;
    if (result.code == "shutdown") {
      timer_.stop();
    } else if (!result.ok) {
      complain(result.message);
      answer(Json());
    } else {
      answer(checked(Json::parse(result.data, nullptr, false)));
    }
  }

  Json checked(const Json& said) {
    const Run* run = services_.runs->find(run_);
    if (run == nullptr || said.is_null() || said.is_discarded()) return {};
    try {
      return read_usage(services_, *run, said);
    } catch (const WrongUse& wrong) {
      complain(wrong.what());
      return {};
    }
  }

  void complain(const std::string& message) {
    services_.engine->log("warn", message, Json{{"run", run_}}, session_);
  }

  void answer(const Json& usage) {
    timer_.stop();
    if (const auto on_answer = std::exchange(on_answer_, nullptr)) on_answer(usage);
  }

  Services& services_;
  const std::string run_;
  const std::string session_;
  std::function<void(const Json&)> on_answer_;
  OneShotTimer timer_;
  CallId hook_ = 0;
};

}  // namespace

std::function<void()> ask_executor_usage(Services& services, const Run& run,
                                         std::function<void(const Json&)> on_answer) {
  const auto& execution = run.spec().execution;
  const auto nothing = [] {};
  if (!execution || run.ended()) {
    on_answer(Json());
    return nothing;
  }
  const auto generation = services.engine->current();
  const auto found = generation->executors().find(execution->executor);
  // It may be gone since.
  if (found == generation->executors().end() || !found->second.usage) {
    on_answer(Json());
    return nothing;
  }
  Json arguments = {{"run", run.id()}, {"state", Json::parse(execution->state, nullptr, false)}};
  const auto question = std::make_shared<UsageQuestion>(services, run, std::move(on_answer));
  question->ask(executor_hook(execution->executor, found->second.usage, run.spec().session,
                              std::move(arguments)));
  return [question] { question->give_up(); };
}

}  // namespace gibbous::lua
