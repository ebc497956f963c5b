// The approvals that are remembered on this machine: what people have answered once and for all, or
// until a time, to questions of the policy. Used by `gibbous approvals` and by hosts that show
// them. Any thread; each call opens the file of the state directory anew and waits for the disk. A
// runtime that uses the same directory obeys a revocation at its next question.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gibbous/status.h"

namespace gibbous {

struct ApprovalInfo {
  std::string id;         // 8 characters
  std::string kind;       // argv: this command; rule: whatever this rule asks about
  std::string subject;    // the command, or the rule's id
  std::string mode;       // in which it was given; it holds there and in looser ones
  std::string workspace;  // in which alone it holds
  std::string who;        // gave it
  std::string policy_hash;
  std::int64_t created = 0;  // Unix seconds
  std::int64_t expires = 0;  // Unix seconds; 0: never
};

// `state_dir` "" is the default one. None when nothing was ever remembered there. A file that
// grants nothing (damaged, or not this user's alone) is an error that says what has become of it.
Result<std::vector<ApprovalInfo>> list_approvals(const std::string& state_dir);

// By its id, or by the beginning of only one id; gives what it was. Fails with approval_not_found,
// approval_ambiguous, or why the file cannot be changed: the approval holds on then.
Result<ApprovalInfo> revoke_approval(const std::string& state_dir, std::string_view id);

// All of them; gives how many there were.
Result<std::size_t> revoke_all_approvals(const std::string& state_dir);

// Objects with the fields of ApprovalInfo, "expires" null for never: a JSON array.
std::string approvals_json(const std::vector<ApprovalInfo>& approvals);

}  // namespace gibbous
