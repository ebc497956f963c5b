// PendingCondition: one condition of one wait. WaitOperation makes and owns it, and Waits reports
// its run's changes to it. It settles once: it fires or becomes impossible. Loop thread only.
#pragma once

#include <map>
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
  // On what fake runs (Runs::is_fake) listen, by id, with the HTTP status of their answers.
  std::map<std::string, std::map<int, int>> fakes;
};

// Returns the error of a field's value: "pattern: missing )".
inline Status wrong_field(const char* field, const Status& why) {
  return Status::error(why.code(), std::string(field) + ": " + why.message());
}

class PendingCondition {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    // The condition has fired or is impossible. May come from inside begin(), and must not delete
    // the condition.
    virtual void on_settled(PendingCondition& condition) = 0;
  };

  PendingCondition(const Condition& spec, Run* run, ConditionContext& context, Owner& owner);
  // Checks the condition: invalid_arguments (the message names the field), run_not_found.
  static Result<std::unique_ptr<PendingCondition>> create(const Condition& spec,
                                                          ConditionContext& context, Owner& owner);
  virtual ~PendingCondition();
  PendingCondition(const PendingCondition&) = delete;
  PendingCondition& operator=(const PendingCondition&) = delete;

  // Checks the present state, and then waits for changes.
  virtual void begin() = 0;
  virtual void on_output(StreamId stream) { (void)stream; }
  // The state changed, a stream ended, or the number of processes left behind changed.
  virtual void on_run_changed() {}
  // The run is about to be forgotten.
  void on_run_forgotten();

  ConditionKind kind() const { return spec_.kind; }
  Run* run() const { return run_; }
  bool settled() const { return fired_.has_value() || impossible_; }
  bool fired() const { return fired_.has_value(); }
  Fired take_fired() { return std::move(*fired_); }  // once
  // For an impossible condition: the run that ended, and "run Ab3xK9mZ ended (exit code 1)".
  const std::string& ended_run() const { return ended_run_; }
  const std::string& why() const { return why_; }
  // Impossible for another reason, as a whole sentence: "port 3000 is that of nginx (pid 812)".
  const std::string& obstacle() const { return obstacle_; }
  // Returns what had to come true, as a text that follows "before": "port 3000 was listening".
  virtual std::string wanted() const = 0;
  // Returns what was seen last instead, or "": "status 503".
  virtual std::string last_seen() const { return ""; }
  // What may have been missed, or "".
  virtual std::string caveat() const { return ""; }

 protected:
  void fire(Fired fired = {});
  void give_up();
  void give_up(const std::string& what_it_did);
  void meet(std::string obstacle);

  const Condition spec_;
  Run* run_;  // null: none, or forgotten
  ConditionContext& context_;

 private:
  Owner& owner_;
  std::optional<Fired> fired_;
  bool impossible_ = false;
  std::string ended_run_;
  std::string why_;
  std::string obstacle_;
};

// A condition that only processes of its run can make true: once nothing of the run lives, it looks
// a last time.
class LivingCondition : public PendingCondition {
 public:
  using PendingCondition::PendingCondition;
  ~LivingCondition() override;
  void on_run_changed() override;

 protected:
  // Calls fire() or give_up(), now or soon.
  virtual void last_look() = 0;
  bool run_is_over() const;

 private:
  Deadlines::Token over_ = 0;
};

// Only PendingCondition::create calls these. exit, start, ready, regex, quiet; `run` is not null.
Result<std::unique_ptr<PendingCondition>> make_run_condition(const Condition& spec, Run* run,
                                                             ConditionContext& context,
                                                             PendingCondition::Owner& owner);
// input; `run` is not null.
Result<std::unique_ptr<PendingCondition>> make_input_condition(const Condition& spec, Run* run,
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
