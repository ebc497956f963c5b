// The approvals that are remembered on this machine: people's lasting answers to questions of the
// policy. Used by `gibbous approvals` and by hosts that show them. Any thread; each call opens the
// file of the state directory anew and waits for the disk. A runtime that uses the same directory
// obeys a revocation at its next question.
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
  std::string kind;       // argv: this command; rule: everything this rule asks about;
                          // prefix: commands that begin so
  std::string subject;    // the command, or the rule's id
  std::string mode;       // the mode in which it was given; it holds there and in looser ones
  std::string workspace;  // the only workspace in which it holds
  std::string who;        // who gave it
  std::string policy_hash;
  std::int64_t created = 0;  // Unix seconds
  std::int64_t expires = 0;  // Unix seconds; 0: never
};

// Lists the remembered approvals; `state_dir` "" means the default one. The list is empty when
// nothing was ever remembered there. A file that grants nothing (damaged, or writable by other
// users) is an error that says what became of it.
Result<std::vector<ApprovalInfo>> list_approvals(const std::string& state_dir);

// Revokes an approval by its id, or by a unique prefix of it, and returns it. Fails with
// approval_not_found, approval_ambiguous, or the reason why the file cannot be changed; the
// approval then still holds.
Result<ApprovalInfo> revoke_approval(const std::string& state_dir, std::string_view id);

// Revokes all of them and returns how many there were.
Result<std::size_t> revoke_all_approvals(const std::string& state_dir);

// Returns a JSON array of objects with the fields of ApprovalInfo; "expires" is null for never.
std::string approvals_json(const std::vector<ApprovalInfo>& approvals);

}  // namespace gibbous
