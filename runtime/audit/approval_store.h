// ApprovalStore: answers to `ask` verdicts that count again, either for one session, in memory, or
// remembered in the file `approvals` of the state directory, which every process of this user
// shares. bindings/host asks it after the policy said `ask`; it never overrides a deny rule. A file
// with any fault grants nothing, nor does one that was written without the key beside it: the
// sandbox hides the state directory, so that a run that could write there could still not approve.
//
// Owner's thread only. find() and list() cost one stat unless the file has changed (then they read
// at most 8 MiB). remember() and revoke() write the file and wait for the disk, and up to 0.2 s for
// another process that is writing: they follow a person's answer.
//
// The file that was read stays open: its inode number cannot be used again meanwhile, so device,
// inode, size and times tell a new file with certainty.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gibbous/status.h"
#include "runtime/audit/approval.h"
#include "runtime/base/clock.h"

namespace gibbous {

inline constexpr std::size_t kMaxApprovals = 10'000;

class ApprovalStore {
 public:
  // `directory`: the state directory, absolute; "": nothing can be remembered. `on_problem` is
  // called once for each problem with the file; remembered approvals do not count meanwhile.
  // `clock` must outlive the store.
  ApprovalStore(std::string directory, const Clock& clock,
                std::function<void(const Status&)> on_problem = nullptr);

  // Returns the approval that applies to the query now: for the first candidate that has one, the
  // one that holds longest.
  std::optional<Approval> find(const ApprovalQuery& query);

  // Stores an approval and fills in `id` and `created`. It replaces one with the same kind,
  // subject, mode, workspace, scope and session. Fails with invalid_arguments, approvals_full, or
  // the reason why the file cannot be written (state_dir_unusable, state_file_unusable, state_busy,
  // approvals_damaged, approvals_newer); nothing is stored then.
  Result<Approval> remember(Approval approval);

  // Forgets what was approved for the session.
  void end_session(std::string_view session);

  // Returns the remembered approvals that hold, oldest first. An error says why they cannot be
  // read.
  Result<std::vector<Approval>> list();

  // Revokes a remembered approval by its id, or by a unique prefix of it, and returns it. Fails
  // with approval_not_found, approval_ambiguous, or the reason why the file cannot be written; the
  // approval still holds then.
  Result<Approval> revoke(std::string_view id);
  // Revokes all remembered approvals and returns how many there were.
  Result<std::size_t> revoke_all();

 private:
  std::int64_t now() const;
  Status refresh();
  Result<std::vector<Approval>> read(const StateRows& rows) const;
  // Changes what is on the disk; `edit` gets what still holds.
  Status change(const StateWrite& how,
                const std::function<Status(std::vector<Approval>&)>& edit) const;
  Status add(std::vector<Approval>& approvals, const Approval& approval) const;
  void drop_expired(std::vector<Approval>& approvals) const;

  std::string directory_;
  const Clock& clock_;
  std::function<void(const Status&)> on_problem_;
  std::vector<Approval> remembered_;  // as they are in the file that mark_ names
  StateMark mark_;
  std::string reported_;  // the last problem's message
  std::vector<Approval> session_;
};

}  // namespace gibbous
