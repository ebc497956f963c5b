// A store for the length of one call, with the host's idea of where the state directory is.
#include "gibbous/approvals.h"

#include <filesystem>
#include <set>
#include <string>
#include <utility>

#include "bindings/host/approval_record.h"
#include "bindings/host/places.h"
#include "bindings/json/text.h"
#include "runtime/audit/approval_store.h"
#include "runtime/journal/journal.h"
#include "runtime/journal/journal_reader.h"

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
  // A file that was set aside leaves nothing to fail for, and has to be told all the same.
  const Status& problem() const { return problem_; }

  // The journal's record of each goes on with when it was taken back. One that has none, and a
  // journal that cannot be written, change nothing about that it holds no more.
  void record_revoked(const std::set<std::string>& ids) {
    auto reader = JournalReader::open(directory_);
    if (!reader) return;
    auto recorded = (*reader)->approvals();
    if (!recorded) return;
    std::erase_if(*recorded, [&ids](const ApprovalRecord& approval) {
      return ids.count(approval.id) == 0 || approval.revoked_at != 0;
    });
    if (recorded->empty()) return;
    JournalOptions options;
    options.directory = directory_;
    auto journal = Journal::create(std::move(options), clock_);
    if (!journal) return;
    for (ApprovalRecord& approval : *recorded) {
      approval.revoked_at = clock_.wall().count();
      (void)(*journal)->put_approval(approval);
    }
  }

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
  store.record_revoked({revoked->id});
  return info_of(std::move(*revoked));
}

Result<std::size_t> revoke_all_approvals(const std::string& state_dir) {
  OpenedStore store(state_dir);
  std::set<std::string> ids;
  if (const auto held = store->list()) {
    for (const Approval& approval : *held) ids.insert(approval.id);
  }
  auto count = store->revoke_all();
  if (!count) return count.status();
  if (!store.problem()) return store.problem();
  store.record_revoked(ids);
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
