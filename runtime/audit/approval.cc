// The valid forms of an approval, and the modes in which it holds.
#include "runtime/audit/approval.h"

#include <algorithm>
#include <array>

#include "runtime/base/random_id.h"

namespace gibbous {
namespace {

constexpr std::array<const char*, 3> kKindNames = {"argv", "rule", "prefix"};

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
  return kKindNames.at(static_cast<std::size_t>(kind));
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

StateRow row_of(const Approval& approval) {
  return named_row({{"id", approval.id},
                    {"kind", name_of(approval.kind)},
                    {"mode", approval.mode},
                    {"rank", std::to_string(approval.mode_rank)},
                    {"created", std::to_string(approval.created)},
                    {"expires", std::to_string(approval.expires)},
                    {"policy", approval.policy_hash},
                    {"who", approval.who},
                    {"workspace", approval.workspace},
                    {"subject", approval.subject}});
}

std::optional<Approval> approval_of(const StateRow& row) {
  Approval approval;
  std::string kind;
  std::string rank;
  std::string created;
  std::string expires;
  if (!read_named(row, {{"id", &approval.id},
                        {"kind", &kind},
                        {"mode", &approval.mode},
                        {"rank", &rank},
                        {"created", &created},
                        {"expires", &expires},
                        {"policy", &approval.policy_hash},
                        {"who", &approval.who},
                        {"workspace", &approval.workspace},
                        {"subject", &approval.subject}})) {
    return std::nullopt;
  }
  const auto known = std::find(kKindNames.begin(), kKindNames.end(), kind);
  const auto mode_rank = whole_number(rank);
  const auto begin = whole_number(created);
  const auto end = whole_number(expires);
  if (approval.id.size() != kIdChars || known == kKindNames.end() || !mode_rank || !begin || !end ||
      *mode_rank != static_cast<int>(*mode_rank)) {
    return std::nullopt;
  }
  approval.kind = static_cast<ApprovalKind>(known - kKindNames.begin());
  approval.mode_rank = static_cast<int>(*mode_rank);
  approval.created = *begin;
  approval.expires = *end;
  if (!check(approval)) return std::nullopt;
  return approval;
}

bool holds_in_mode(const Approval& approval, std::string_view mode, int mode_rank) {
  return approval.mode_rank < mode_rank ||
         (approval.mode_rank == mode_rank && approval.mode == mode);
}

}  // namespace gibbous
