// The valid forms of an approval, and the modes in which it holds.
#include "runtime/audit/approval.h"

namespace gibbous {
namespace {

Status wrong(const char* field, const std::string& expected) {
  return Status::error("invalid_arguments", std::string(field) + ": expected " + expected);
}

Status check_text(const char* field, const std::string& text, std::size_t most, bool may_be_empty) {
  if ((text.empty() && !may_be_empty) || text.size() > most) {
    return wrong(field, std::string(may_be_empty ? "at most " : "1 to ") + std::to_string(most) +
                            " bytes, got " + std::to_string(text.size()));
  }
  return {};
}

}  // namespace

const char* name_of(ApprovalKind kind) {
  switch (kind) {
    case ApprovalKind::kArgv:
      return "argv";
    case ApprovalKind::kRule:
      return "rule";
    case ApprovalKind::kPrefix:
      return "prefix";
  }
  return "";
}

const char* name_of(ApprovalScope scope) {
  switch (scope) {
    case ApprovalScope::kSession:
      return "session";
    case ApprovalScope::kRemembered:
      return "remembered";
  }
  return "";
}

Status check(const Approval& approval) {
  if (Status bad = check_text("subject", approval.subject, kMaxSubjectBytes, false); !bad) {
    return bad;
  }
  constexpr std::size_t kMost = kMaxApprovalFieldBytes;
  if (Status bad = check_text("mode", approval.mode, kMost, false); !bad) return bad;
  if (Status bad = check_text("workspace", approval.workspace, kMost, false); !bad) return bad;
  if (approval.workspace.front() != '/') return wrong("workspace", "an absolute path");
  if (Status bad = check_text("session", approval.session, kMost, true); !bad) return bad;
  if (Status bad = check_text("policy_hash", approval.policy_hash, kMost, true); !bad) return bad;
  if (Status bad = check_text("who", approval.who, kMost, true); !bad) return bad;
  if (approval.expires < 0) return wrong("expires", "Unix seconds, or 0 for never");
  return {};
}

bool holds_in_mode(const Approval& approval, std::string_view mode, int mode_rank) {
  return approval.mode_rank < mode_rank ||
         (approval.mode_rank == mode_rank && approval.mode == mode);
}

}  // namespace gibbous
