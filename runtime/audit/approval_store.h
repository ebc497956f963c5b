// ApprovalStore: answers to `ask` verdicts that count again: for one session, in memory, or
// remembered, in the file `approvals` of the state directory, which every process of this user
// shares. Asked by bindings/host after the policy has said `ask`; deny rules are not its concern.
//
// Owner's thread only. find() and list() cost one stat unless the file has changed (at most
// 8 MiB are read then); remember() and revoke() write the file and wait for the disk, and up to 0.2
// s for another process that is writing: they follow an answer of a person.
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
  // How often the file may be looked at. 0: at each find, so that what another process has revoked
  // is never found again. list(), remember() and revoke() always look.
  Nanos look_interval{0};
  // What is wrong with the file, once each time; remembered approvals do not count meanwhile.
  std::function<void(const Status&)> on_problem;
};

class ApprovalStore {
 public:
  // `clock` must outlive the store.
  ApprovalStore(ApprovalStoreOptions options, const Clock& clock);

  // The approval that the query may rely on, now; the first candidate that has one, and of those
  // the one that holds longest.
  std::optional<Approval> find(const ApprovalQuery& query);

  // Keeps it; `id` and `created` are filled in. It takes the place of one with the same kind,
  // subject, mode, workspace, scope and session. Fails with invalid_arguments, approvals_full, or
  // why the file cannot be written (state_dir_unusable, state_file_unusable, state_busy,
  // approvals_newer); nothing is kept then.
  Result<Approval> remember(Approval approval);

  // All that hold, oldest first. An error: why those on disk cannot be seen.
  Result<std::vector<Approval>> list();

  // By its id, or by the beginning of only one id. Gives what it was. Fails with
  // approval_not_found, approval_ambiguous, or why the file cannot be written: it holds on then.
  Result<Approval> revoke(std::string_view id);
  // Gives how many there were; those of sessions go even when the file cannot be written.
  Result<std::size_t> revoke_all();
  // Those of a session that is over.
  void end_session(std::string_view session);

  // Takes out what has expired, also from the file (remember and revoke do so anyway). Gives how
  // many there were.
  Result<std::size_t> prune();

 private:
  std::int64_t now() const;
  // There is no directory, so nothing was ever remembered.
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
