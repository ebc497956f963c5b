#include "runtime/supervise/supervisor.h"

#include <algorithm>
#include <utility>

#include "runtime/base/nearest.h"
#include "runtime/output/text.h"
#include "runtime/runs/describe.h"
#include "runtime/wait/reach.h"
#include "runtime/wait/waits.h"

namespace gibbous {

struct Supervisor::Supervised {
  std::shared_ptr<const Supervision> how;
  bool refused = false;
  int pauses = 0;        // the pauses before its restart that are not over yet
  Wait* wait = nullptr;  // for its readiness, or its pause
};

namespace {

bool wants_restart(const RestartPolicy& policy, const Run& run) {
  if (run.spec().restarts >= policy.max) return false;
  if (!run.ended_by_itself()) return false;
  return run.state() != RunState::kCompleted || !policy.on_failure;
}

Millis pause_before(const RestartPolicy& policy, std::uint32_t restart) {
  constexpr std::uint32_t kMostDoublings = 16;
  const std::uint32_t doublings = std::min(restart - 1, kMostDoublings);
  return std::min(policy.backoff * (std::int64_t{1} << doublings), kLongestBackoff);
}

// The spec under which the next attempt waits for its restart.
RunSpec next_of(const Run& run) {
  RunSpec spec;
  spec.argv = run.spec().argv;
  spec.command = run.spec().command;
  spec.label = run.spec().label;
  spec.client = run.spec().client;
  spec.session = run.spec().session;
  spec.cwd = run.spec().cwd;
  spec.tool = run.spec().tool;
  spec.background = run.spec().background;
  spec.says_when_ready = run.spec().says_when_ready;
  spec.restart_of = run.id();
  spec.restarts = run.spec().restarts + 1;
  return spec;
}

std::string describe(const Condition& condition, const Fired& fired) {
  switch (condition.kind) {
    case ConditionKind::kPort:
      return "port " + std::to_string(condition.port) + " is listening";
    case ConditionKind::kHttp:
      return condition.url + " answered " + std::to_string(fired.status);
    case ConditionKind::kRegex:
    case ConditionKind::kScreen:
      return "line: " + fired.line;
    case ConditionKind::kFile:
      return condition.path + (condition.absent ? " is gone" : " is there");
    case ConditionKind::kExit:
      return "it has ended";
    case ConditionKind::kStart:
      return condition.run + " has started";
    case ConditionKind::kReady:
      return condition.run + " is ready";
    case ConditionKind::kQuiet:
      return "it is quiet";
    case ConditionKind::kInput:
      return "it waits for input";
    case ConditionKind::kLog:
      return "its log is " + std::string(condition.written ? "written" : "open");
    case ConditionKind::kTimer:
      return format_seconds(condition.duration) + " have passed";
  }
  return "";
}

WaitSpec wait_for(const Run& run, WaitSpec ready) {
  for (Condition& condition : ready.conditions) {
    if (condition.run == kThisRun) condition.run = run.id();
  }
  if (!ready.timeout) ready.timeout = kDefaultReadyTimeout;
  return ready;
}

std::string why_never(const std::string& id, const Run* run) {
  if (run == nullptr) return id + " is not known any more";
  if (run->ended()) return run->id() + " ended (" + run->reason() + ")";
  return run->id() + " is not ready (" + run->readiness_note() + ")";
}

}  // namespace

Supervisor::Supervisor(Runs& runs, Waits& waits, Start start)
    : runs_(runs), waits_(waits), start_(std::move(start)) {
  runs_.add_observer(this);
}

Supervisor::~Supervisor() {
  runs_.remove_observer(this);
  for (auto& [id, supervised] : supervised_) {
    if (supervised.wait != nullptr) supervised.wait->cancel();
  }
}

void Supervisor::supervise(Run& run, std::shared_ptr<const Supervision> how) {
  Supervised& supervised = supervised_[run.id()];
  supervised.how = std::move(how);
  watch_readiness(run, supervised);
  if (run.ended()) on_state(run);
}

void Supervisor::with(const std::string& run, const std::function<void(Run&, Supervised&)>& work) {
  Run* found = runs_.find(run);
  const auto supervised = supervised_.find(run);
  if (found != nullptr && supervised != supervised_.end()) work(*found, supervised->second);
}

// --- After others -------------------------------------------------------------------------------

Result<Run*> Supervisor::start_after(RunSpec spec, std::shared_ptr<const Supervision> how) {
  std::string names;
  for (const std::string& id : how->after) {
    if (runs_.find(id) == nullptr) {
      const std::string near = runs_.nearest(id);
      return Status::error("run_not_found", "after: there is no run \"" + to_utf8(id) + "\"" +
                                                did_you_mean(near, '"'));
    }
    names += (names.empty() ? "" : ", ") + id;
  }
  auto reserved = runs_.reserve(std::move(spec), "it starts when " + names + " is ready");
  if (!reserved) return reserved;
  supervised_[(*reserved)->id()].how = std::move(how);
  blocked_.insert((*reserved)->id());
  look_soon();
  return reserved;
}

void Supervisor::look_soon() {
  if (blocked_.empty() || std::exchange(looking_, true)) return;
  runs_.later([this, alive = std::weak_ptr<const int>(lifetime_)] {
    if (!alive.expired()) look();
  });
}

void Supervisor::look() {
  looking_ = false;
  const std::set<std::string> blocked = blocked_;
  for (const std::string& id : blocked) {
    with(id, [this](Run& run, Supervised& each) { start_if_ready(run, each); });
  }
}

void Supervisor::start_if_ready(Run& run, Supervised& supervised) {
  if (run.ended()) return;
  for (const std::string& id : supervised.how->after) {
    Run* before = runs_.find(id);
    if (before != nullptr) before = &runs_.newest(*before);
    const Standing standing = before == nullptr ? Standing::kNever : standing_of(*before);
    if (standing == Standing::kPending) return;
    if (standing == Standing::kNever) {
      return refuse(run, supervised, why_never(id, before));
    }
  }
  start(run, supervised);
}

void Supervisor::start(Run& run, Supervised& supervised) {
  blocked_.erase(run.id());
  start_(run, supervised.how->request,
         [this, alive = std::weak_ptr<const int>(lifetime_), id = run.id()](const Status& status) {
           if (!alive.expired()) on_started(id, status);
         });
}

void Supervisor::on_started(const std::string& id, const Status& status) {
  with(id, [this, &status](Run& run, Supervised& supervised) {
    if (status) return watch_readiness(run, supervised);
    // A retry would meet the same refusal by the policy, or the same fault in the request.
    if (run.state() == RunState::kQueued) refuse(run, supervised, status.message());
  });
}

void Supervisor::refuse(Run& run, Supervised& supervised, const std::string& why) {
  supervised.refused = true;
  runs_.refuse(run, "not started: " + why);
}

// --- Readiness ----------------------------------------------------------------------------------

void Supervisor::watch_readiness(Run& run, Supervised& supervised) {
  if (!supervised.how->ready || run.readiness() != Readiness::kPending) return;
  auto spec = std::make_shared<WaitSpec>(wait_for(run, *supervised.how->ready));
  reach(runs_, spec.get());
  auto started = waits_.start(*spec, [this, spec, id = run.id()](const WaitResult& result) {
    with(id, [&](Run& of, Supervised& known) {
      known.wait = nullptr;
      end_readiness(of, *spec, result);
    });
  });
  if (started) {
    supervised.wait = *started;
  } else {
    runs_.set_readiness(run, Readiness::kFailed, started.status().message());
  }
}

void Supervisor::end_readiness(Run& run, const WaitSpec& spec, const WaitResult& result) {
  if (result.end != WaitEnd::kFired) {
    return runs_.set_readiness(run, Readiness::kFailed, result.message);
  }
  std::string note;
  for (const Fired& fired : result.fired) {
    note += (note.empty() ? "" : ", ") + describe(spec.conditions[fired.condition], fired);
  }
  runs_.set_readiness(run, Readiness::kReady, std::move(note));
}

// --- Started again ------------------------------------------------------------------------------

void Supervisor::on_state(Run& run) {
  if (run.ended()) blocked_.erase(run.id());
  look_soon();
  const auto found = supervised_.find(run.id());
  if (found == supervised_.end() || !run.ended()) return;
  Supervised& supervised = found->second;
  if (run.state() != RunState::kCompleted && supervised.wait != nullptr) {
    std::exchange(supervised.wait, nullptr)->cancel();
  }
  if (supervised.refused) return;
  if (supervised.how->restart && wants_restart(*supervised.how->restart, run)) {
    restart(run, supervised);
  }
}

void Supervisor::on_readiness(Run& run) {
  (void)run;
  look_soon();
}

void Supervisor::on_forget(Run& run) {
  const auto found = supervised_.find(run.id());
  if (found == supervised_.end()) return;
  if (found->second.wait != nullptr) found->second.wait->cancel();
  supervised_.erase(found);
}

void Supervisor::restart(Run& run, const Supervised& supervised) {
  const std::shared_ptr<const Supervision> how = supervised.how;
  const std::uint32_t restart = run.spec().restarts + 1;
  const Millis pause = pause_before(*how->restart, restart);
  const std::string when = "it starts again in " + format_seconds(pause) + " (" +
                           std::to_string(restart) + " of " + std::to_string(how->restart->max) +
                           ")";
  // Orphans of the run may hold what the next one needs: a port, a lock. They are ended before the
  // run has a successor, because a kill would then mean the successor.
  auto next_id = std::make_shared<std::string>();
  const auto part_over = [this, alive = std::weak_ptr<const int>(lifetime_), next_id] {
    if (!alive.expired()) end_pause(*next_id);
  };
  runs_.kill(run, stop_signal(run.spec()), std::nullopt,
             [part_over](Run&, const KillReport&) { part_over(); });
  auto reserved = runs_.reserve(next_of(run), when);
  if (!reserved) return;
  *next_id = (*reserved)->id();
  Supervised& next = supervised_[*next_id];
  next.how = how;
  next.pauses = 2;
  Condition timer;
  timer.kind = ConditionKind::kTimer;
  timer.duration = pause;
  auto pausing = waits_.start({{timer}, false, std::nullopt}, [this, next_id](const WaitResult&) {
    with(*next_id, [](Run&, Supervised& each) { each.wait = nullptr; });
    end_pause(*next_id);
  });
  if (pausing) next.wait = *pausing;
}

void Supervisor::end_pause(const std::string& id) {
  with(id, [this](Run& run, Supervised& supervised) {
    if (--supervised.pauses == 0 && !run.ended()) start(run, supervised);
  });
}

}  // namespace gibbous
