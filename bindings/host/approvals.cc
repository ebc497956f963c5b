// Each call opens the store of the state directory itself.
#include "gibbous/approvals.h"

#include <string>
#include <utility>

#include "bindings/host/places.h"
#include "bindings/json/text.h"
#include "runtime/audit/approval_store.h"

namespace gibbous {
namespace {

const SystemClock kClock;

ApprovalStore store_of(const std::string& state_dir) {
  return {host::state_directory(state_dir), kClock};
}

ApprovalInfo info_of(Approval approval) {
  return {.id = std::move(approval.id),
          .kind = name_of(approval.kind),
          .subject = std::move(approval.subject),
          .mode = std::move(approval.mode),
          .workspace = std::move(approval.workspace),
          .who = std::move(approval.who),
          .policy_hash = std::move(approval.policy_hash),
          .created = approval.created,
          .expires = approval.expires};
}

}  // namespace

Result<std::vector<ApprovalInfo>> list_approvals(const std::string& state_dir) {
  auto listed = store_of(state_dir).list();
  if (!listed) return listed.status();
  std::vector<ApprovalInfo> approvals;
  for (Approval& approval : *listed) approvals.push_back(info_of(std::move(approval)));
  return approvals;
}

Result<ApprovalInfo> revoke_approval(const std::string& state_dir, std::string_view id) {
  auto revoked = store_of(state_dir).revoke(id);
  if (!revoked) return revoked.status();
  return info_of(std::move(*revoked));
}

Result<std::size_t> revoke_all_approvals(const std::string& state_dir) {
  return store_of(state_dir).revoke_all();
}

std::string approvals_json(const std::vector<ApprovalInfo>& approvals) {
  OrderedJson list = OrderedJson::array();
  for (const ApprovalInfo& approval : approvals) {
    OrderedJson entry = {{"id", approval.id},
                         {"kind", approval.kind},
                         {"subject", approval.subject},
                         {"mode", approval.mode},
                         {"workspace", approval.workspace},
                         {"who", approval.who},
                         {"policy_hash", approval.policy_hash},
                         {"created", approval.created},
                         {"expires", nullptr}};
    if (approval.expires != 0) entry["expires"] = approval.expires;
    list.push_back(std::move(entry));
  }
  return to_text(list);
}

}  // namespace gibbous
