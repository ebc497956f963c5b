// Approval: one answer to an `ask` verdict that counts again, its row in the file, and the queries
// of the store. Plain data, any thread.
//
// It is keyed by what the person saw: the exact command with its directory and environment, a
// prefix, or the rule. It holds in one workspace, in its mode and in looser ones; another mode of
// the same rank is not looser (`default` and `ci`).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gibbous/status.h"
#include "runtime/base/state_table.h"

namespace gibbous {

enum class ApprovalKind : std::uint8_t {
  kArgv,   // this command, word by word
  kRule,   // everything this rule asks about
  kPrefix  // commands that begin with these words, and that only these rules ask about
};
enum class ApprovalScope : std::uint8_t {
  kSession,     // one session of this process; in memory only
  kRemembered,  // on disk, every session
};
const char* name_of(ApprovalKind kind);  // "argv", "rule", "prefix"

inline constexpr std::size_t kMaxSubjectBytes = std::size_t{64} << 10;
inline constexpr std::size_t kMaxApprovalFieldBytes = std::size_t{4} << 10;  // of the other texts

struct Approval {
  std::string id;  // 8 characters
  ApprovalKind kind = ApprovalKind::kArgv;
  std::string subject;    // the canonical command, or the rule's id
  std::string mode;       // the mode in which it was given
  int mode_rank = 0;      // of that mode at that time: looser modes have higher ranks
  std::string workspace;  // absolute; the approval holds only there
  ApprovalScope scope = ApprovalScope::kRemembered;
  std::string session;       // its session, for kSession; "" is a session too
  std::int64_t created = 0;  // Unix seconds
  std::int64_t expires = 0;  // Unix seconds; it expires then; 0: never
  std::string policy_hash;   // of the policy that asked: for people and logs, not compared
  std::string who;           // who gave it, as the front end knows them
};

struct ApprovalSubject {
  ApprovalKind kind = ApprovalKind::kArgv;
  std::string_view subject;
};

struct ApprovalQuery {
  std::vector<ApprovalSubject> candidates;  // any of these will do; the first one found counts
  std::string_view mode;
  int mode_rank = 0;
  std::string_view workspace;
  std::string_view session;
};

// The error names the field and what is expected; its code is invalid_arguments.
Status check(const Approval& approval);

// The file `approvals` of the state directory, which every process of this user shares.
inline constexpr StateTableForm kApprovalTable{
    .name = "approvals",
    .version = 2,
    .errors = "approvals",
    .effect = "grants nothing",
    .remedy = "Remove it; its approvals must be given again",
    .when_full = "revoke some (gibbous approvals)",
    .lock_tries = 200,
};
StateRow row_of(const Approval& approval);
// Nothing for a row that is not that of a valid approval.
std::optional<Approval> approval_of(const StateRow& row);

// An approval holds in the mode in which it was given and in looser ones. It does not hold in
// another mode of the same rank, nor in its own mode after that became stricter.
bool holds_in_mode(const Approval& approval, std::string_view mode, int mode_rank);
inline bool is_expired(const Approval& approval, std::int64_t now) {
  return approval.expires != 0 && approval.expires <= now;
}

}  // namespace gibbous
