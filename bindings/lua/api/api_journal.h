// Shared by the files of the table `journal`. Loop thread only.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "bindings/lua/call/context.h"
#include "bindings/lua/call/spec_world.h"
#include "bindings/lua/call/task.h"
#include "bindings/lua/check/fields.h"
#include "gibbous/status.h"

struct lua_State;

namespace gibbous {
struct RunRecord;
}

namespace gibbous::lua {

class Call;

// Reading has no effect to undo: a cancelled question gets no answer.
class PendingQuestion final : public PendingOp {
 public:
  explicit PendingQuestion(const Context& context) : specs_(context.specs) {
    if (specs_ != nullptr) ++specs_->questions;
  }
  ~PendingQuestion() override {
    if (specs_ != nullptr) --specs_->questions;
  }
  PendingQuestion(const PendingQuestion&) = delete;
  PendingQuestion& operator=(const PendingQuestion&) = delete;
  void cancel() override {
    *cancelled = true;
    if (withdraw) withdraw();
  }

  std::function<void()> withdraw;  // a question to a person that comes first
  const std::shared_ptr<bool> cancelled = std::make_shared<bool>(false);

 private:
  SpecWorld* specs_;
};

inline Status no_journal() {
  return Status::error("no_journal", "nothing is recorded here");
}
// Returns the id of the run at index 1, which is its id or its handle.
std::string check_recorded_run(lua_State* state);
// Says in run_not_found that no record exists.
Status named_run_error(const Status& status, const std::string& id);

// Returns the error for a record that the call may not see, the same as for one that does not
// exist.
Status not_recorded(const std::string& id);

// Returns true when the call may see and touch the recorded run. A call without a session does not
// see what another process, or another runtime of this one, executes at the moment.
bool may_see(Call& call, const RunRecord& run);

int l_journal_queue(lua_State* state);
int l_journal_error_excerpt(lua_State* state);

}  // namespace gibbous::lua
