// Each call opens the store of the state directory itself.
#include "gibbous/approvals.h"

#include <filesystem>
#include <string>
#include <utility>

#include "bindings/host/places.h"
#include "bindings/json/text.h"
#include "runtime/audit/approval_store.h"

namespace gibbous {
namespace {

class OpenedStore {
 public:
  explicit OpenedStore(const std::string& state_dir)
      : directory_(directory_of(state_dir)),
        store_({.directory = directory_,
                .on_problem = [this](const Status& problem) { problem_ = problem; }},
               clock_) {}
  ApprovalStore& operator*() { return store_; }
  ApprovalStore* operator->() { return &store_; }
  // A damaged file was set aside; the call itself then succeeds.
  const Status& problem() const { return problem_; }

 private:
  static std::string directory_of(const std::string& state_dir) {
    std::error_code error;
    return state_dir.empty() ? host::default_state_directory()
                             : std::filesystem::absolute(state_dir, error).string();
  }

  SystemClock clock_;
  std::string directory_;
  Status problem_;
  ApprovalStore store_;
};

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
  OpenedStore store(state_dir);
  auto listed = store->list();
  if (!listed) return listed.status();
  if (!store.problem()) return store.problem();
  std::vector<ApprovalInfo> approvals;
  for (Approval& approval : *listed) approvals.push_back(info_of(std::move(approval)));
  return approvals;
}

Result<ApprovalInfo> revoke_approval(const std::string& state_dir, std::string_view id) {
  OpenedStore store(state_dir);
  auto revoked = store->revoke(id);
  if (!store.problem()) return store.problem();
  if (!revoked) return revoked.status();
  return info_of(std::move(*revoked));
}

Result<std::size_t> revoke_all_approvals(const std::string& state_dir) {
  OpenedStore store(state_dir);
  auto count = store->revoke_all();
  if (!count) return count.status();
  if (!store.problem()) return store.problem();
  return *count;
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
