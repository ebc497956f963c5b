// PendingCondition: one condition of one wait. WaitOperation makes and owns it, and Waits reports
// its run's changes to it. It settles once: it has fired, or it never will. Loop thread only.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "runtime/wait/connect_probe.h"
#include "runtime/wait/port_prober.h"
#include "runtime/wait/wait.h"

namespace gibbous {

struct ConditionContext {
  ProbeContext probes;
  Runs& runs;
  PortProber& ports;
};

// "pattern: missing )": the error of a field's value.
inline Status wrong_field(const char* field, const Status& why) {
  return Status::error(why.code(), std::string(field) + ": " + why.message());
}

class PendingCondition {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    // It has fired or is impossible; may come from inside begin(). It must not be deleted from
    // here.
    virtual void on_settled(PendingCondition& condition) = 0;
  };

  PendingCondition(const Condition& spec, Run* run, ConditionContext& context, Owner& owner);
  // Checks the condition: invalid_arguments (the message names the field), run_not_found.
  static Result<std::unique_ptr<PendingCondition>> create(const Condition& spec,
                                                          ConditionContext& context, Owner& owner);
  virtual ~PendingCondition();
  PendingCondition(const PendingCondition&) = delete;
  PendingCondition& operator=(const PendingCondition&) = delete;

  // Looks at how things are, and then waits for them to change.
  virtual void begin() = 0;
  virtual void on_output(StreamId stream) { (void)stream; }
  // State, streams' ends, processes left behind.
  virtual void on_run_changed() {}
  // The run is about to be forgotten.
  void on_run_forgotten();

  ConditionKind kind() const { return spec_.kind; }
  Run* run() const { return run_; }
  bool settled() const { return fired_.has_value() || impossible_; }
  bool fired() const { return fired_.has_value(); }
  Fired take_fired() { return std::move(*fired_); }  // once
  // Impossible: the run that ended, and "run Ab3xK9mZ ended (exit code 1)".
  const std::string& ended_run() const { return ended_run_; }
  const std::string& why() const { return why_; }
  // "port 3000 was listening": what would have had to come true, to follow "before".
  virtual std::string wanted() const = 0;
  // "the last answer was status 503": what is known of it instead, or "".
  virtual std::string last_seen() const { return ""; }

 protected:
  void fire(Fired fired = {});
  void give_up();
  void give_up(const std::string& what_it_did);

  const Condition spec_;
  Run* run_;  // null: none, or forgotten
  ConditionContext& context_;

 private:
  Owner& owner_;
  std::optional<Fired> fired_;
  bool impossible_ = false;
  std::string ended_run_;
  std::string why_;
};

// For PendingCondition::create alone. exit, start, ready, regex, quiet; `run` is not null.
Result<std::unique_ptr<PendingCondition>> make_run_condition(const Condition& spec, Run* run,
                                                             ConditionContext& context,
                                                             PendingCondition::Owner& owner);
// screen; `run` is not null.
Result<std::unique_ptr<PendingCondition>> make_screen_condition(const Condition& spec, Run* run,
                                                                ConditionContext& context,
                                                                PendingCondition::Owner& owner);
// port, http, file, timer.
Result<std::unique_ptr<PendingCondition>> make_probe_condition(const Condition& spec, Run* run,
                                                               ConditionContext& context,
                                                               PendingCondition::Owner& owner);

}  // namespace gibbous
