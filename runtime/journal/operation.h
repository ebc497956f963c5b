// Operation: a request to the queue that is answered after the commit that carried it out. Made on
// the caller's thread, applied and answered on the writer's. Internal.
//
// Answered once: after a failed commit it is applied again. An error that was reported at once
// would leave a run whose worker does not know that it owns it. Only the end of the journal reports
// an error; a run that it leaves behind is an orphan when its process ends.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "gibbous/status.h"
#include "runtime/journal/queue.h"

namespace gibbous {

class Operation {
 public:
  virtual ~Operation() = default;
  // Runs inside a transaction, and again in another one when the first could not be committed.
  virtual Status apply(Queue& queue, std::int64_t now) = 0;
  // Called once: after the commit (ok), or with the reason why there will be none.
  virtual void tell(const Status& status) = 0;
};

// `work` fills a T, or sets `refused` to the reason why not. It keeps its plan in its own state.
template <typename T>
class OperationFor final : public Operation {
 public:
  using Work = std::function<Status(Queue& queue, std::int64_t now, T* answer, Status* refused)>;
  using Done = std::function<void(Result<T>)>;
  OperationFor(Work work, Done on_done) : work_(std::move(work)), on_done_(std::move(on_done)) {}

  Status apply(Queue& queue, std::int64_t now) override {
    refused_ = {};
    return work_(queue, now, &answer_, &refused_);
  }
  void tell(const Status& status) override {
    if (!on_done_) return;
    if (status && refused_) {
      on_done_(std::move(answer_));
    } else {
      on_done_(status ? refused_ : status);
    }
  }

 private:
  Work work_;
  Done on_done_;
  T answer_{};
  Status refused_;
};

}  // namespace gibbous
