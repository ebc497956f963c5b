// WaitOperation: one wait from start to answer: its conditions, any or all of them, and its
// deadline. Waits owns it. Loop thread only.
//
// A deadline that is due late looks once more before it judges.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/wait/pending_condition.h"
#include "runtime/wait/wait.h"

namespace gibbous {

class WaitOperation final : public Wait, private PendingCondition::Owner {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    // The answer is ready: call deliver() from the loop.
    virtual void on_answered(WaitOperation& operation) = 0;
    virtual void on_cancelled(WaitOperation& operation) = 0;
  };
  using OnDone = std::function<void(WaitResult)>;

  WaitOperation(WaitSpec spec, ConditionContext& context, Owner& owner, OnDone on_done);
  ~WaitOperation() override;

  // Checks and makes the conditions. Call begin() only after it succeeds; the answer may come
  // during begin().
  Status prepare();
  void begin();
  void cancel() override { owner_.on_cancelled(*this); }

  const std::vector<std::unique_ptr<PendingCondition>>& conditions() const { return conditions_; }
  bool answered() const { return answered_; }
  void deliver();
  // Drops the answer; only cancellation may follow.
  void stop();

 private:
  void on_settled(PendingCondition& condition) override;
  void on_deadline();
  void answer_impossible();
  std::string seen_instead(const PendingCondition& condition);
  void answer(WaitEnd end);
  std::string wanted() const;

  WaitSpec spec_;
  ConditionContext& context_;
  Owner& owner_;
  OnDone on_done_;
  std::vector<std::unique_ptr<PendingCondition>> conditions_;  // as in spec_
  WaitResult result_;
  Nanos started_{0};
  Deadlines::Token deadline_ = 0;
  bool answered_ = false;
};

// Returns the last lines of the run's output, cleaned: stderr and stdout, each with its name if
// there are both.
std::string output_tail(const Run& run);

}  // namespace gibbous
