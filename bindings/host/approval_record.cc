#include "bindings/host/approval_record.h"

namespace gibbous::host {
namespace {

constexpr std::int64_t kMillisPerSecond = 1000;

}  // namespace

ApprovalRecord record_of(const Approval& approval) {
  ApprovalRecord record;
  record.id = approval.id;
  record.kind = name_of(approval.kind);
  record.subject = approval.subject;
  record.mode = approval.mode;
  record.mode_rank = approval.mode_rank;
  record.workspace = approval.workspace;
  record.scope = name_of(approval.scope);
  record.session_id = approval.session.substr(0, kMaxJournalIdBytes);
  record.created_at = approval.created * kMillisPerSecond;
  record.expires_at = approval.expires * kMillisPerSecond;
  record.policy_hash = approval.policy_hash;
  record.who = approval.who;
  return record;
}

}  // namespace gibbous::host
