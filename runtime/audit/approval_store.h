// ApprovalStore: answers to `ask` verdicts that count again, either for one session, in memory, or
// remembered in the file `approvals` of the state directory, which every process of this user
// shares. bindings/host asks it after the policy said `ask`; it never overrides a deny rule.
//
// Owner's thread only. find() and list() cost one stat unless the file has changed (then they read
// at most 8 MiB). remember() and revoke() write the file and wait for the disk, and up to 0.2 s for
// another process that is writing: they follow a person's answer.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gibbous/status.h"
#include "runtime/audit/approval.h"
#include "runtime/audit/approval_file.h"
#include "runtime/base/clock.h"

namespace gibbous {

struct ApprovalStoreOptions {
  std::string directory;  // the state directory, absolute; "": nothing can be remembered
  // How often find() may look at the file. 0: at each find, so that approvals revoked by another
  // process never count again. list(), remember() and revoke() always look.
  Nanos look_interval{0};
  // Called once for each problem with the file; remembered approvals do not count meanwhile.
  std::function<void(const Status&)> on_problem;
};

class ApprovalStore {
 public:
  // `clock` must outlive the store.
  ApprovalStore(ApprovalStoreOptions options, const Clock& clock);

  // Returns the approval that applies to the query now: for the first candidate that has one, the
  // one that holds longest.
  std::optional<Approval> find(const ApprovalQuery& query);

  // Stores an approval and fills in `id` and `created`. It replaces one with the same kind,
  // subject, mode, workspace, scope and session. Fails with invalid_arguments, approvals_full, or
  // the reason why the file cannot be written (state_dir_unusable, state_file_unusable, state_busy,
  // approvals_newer); nothing is stored then.
  Result<Approval> remember(Approval approval);

  // Returns all approvals that hold, oldest first. An error says why those on disk cannot be read.
  Result<std::vector<Approval>> list();

  // Revokes an approval by its id, or by a unique prefix of it, and returns it. Fails with
  // approval_not_found, approval_ambiguous, or the reason why the file cannot be written; the
  // approval still holds then.
  Result<Approval> revoke(std::string_view id);
  // Revokes all approvals and returns how many there were. Session approvals are revoked even when
  // the file cannot be written.
  Result<std::size_t> revoke_all();
  // Removes the approvals of a session that has ended.
  void end_session(std::string_view session);

  // Removes expired approvals, also from the file (remember and revoke do so anyway). Returns how
  // many there were.
  Result<std::size_t> prune();

 private:
  std::int64_t now() const;
  // Without a directory, nothing was ever remembered.
  bool nothing_there(const Status& status) const;
  std::size_t drop_expired(std::vector<Approval>& approvals) const;
  Result<Approval> remember_in(std::vector<Approval>& approvals, const Approval& approval) const;

  ApprovalStoreOptions options_;
  const Clock& clock_;
  ApprovalFile file_;
  std::vector<Approval> session_;
  std::optional<Nanos> looked_;
};

}  // namespace gibbous
