// Matching and bookkeeping; approval_file.cc deals with the disk.
#include "runtime/audit/approval_store.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "runtime/base/random_id.h"

namespace gibbous {
namespace {

using Edit = ApprovalFile::Edit;

bool same_place(const Approval& a, const Approval& b) {
  return a.kind == b.kind && a.scope == b.scope && a.subject == b.subject && a.mode == b.mode &&
         a.workspace == b.workspace && a.session == b.session;
}

bool answers(const Approval& approval, const ApprovalSubject& candidate,
             const ApprovalQuery& query) {
  return approval.kind == candidate.kind && approval.subject == candidate.subject &&
         approval.workspace == query.workspace &&
         (approval.scope == ApprovalScope::kRemembered || approval.session == query.session) &&
         holds_in_mode(approval, query.mode, query.mode_rank);
}

std::int64_t end_of(const Approval& approval) {
  return approval.expires == 0 ? std::numeric_limits<std::int64_t>::max() : approval.expires;
}

const Approval* longest(const std::vector<Approval>& approvals, const ApprovalSubject& candidate,
                        const ApprovalQuery& query, std::int64_t now, const Approval* best) {
  for (const Approval& approval : approvals) {
    if (is_expired(approval, now) || !answers(approval, candidate, query)) continue;
    if (best == nullptr || end_of(approval) > end_of(*best)) best = &approval;
  }
  return best;
}

// Finds the approval that `id` names, in several lists.
struct Named {
  const Approval* found = nullptr;
  bool exact = false;
  bool ambiguous = false;

  void look(const std::vector<Approval>& approvals, std::string_view id) {
    for (const Approval& approval : approvals) {
      if (exact || id.empty() || !approval.id.starts_with(id)) continue;
      exact = approval.id.size() == id.size();
      ambiguous = found != nullptr && !exact;
      found = &approval;
    }
  }
  Status status(std::string_view id) const {
    const std::string quoted = "'" + std::string(id) + "'";
    if (found == nullptr) {
      return Status::error("approval_not_found", "there is no approval " + quoted +
                                                     "; 'gibbous approvals list' names them all");
    }
    if (!ambiguous) return {};
    return Status::error("approval_ambiguous",
                         "more than one approval's id begins with " + quoted + "; give more of it");
  }
};

}  // namespace

ApprovalStore::ApprovalStore(ApprovalStoreOptions options, const Clock& clock)
    : options_(std::move(options)), clock_(clock), file_(options_.directory, options_.on_problem) {}

std::int64_t ApprovalStore::now() const {
  return std::chrono::floor<std::chrono::seconds>(clock_.wall()).count();
}

std::optional<Approval> ApprovalStore::find(const ApprovalQuery& query) {
  const Nanos time = clock_.now();
  if (!looked_ || time - *looked_ >= options_.look_interval) {
    (void)file_.refresh();  // the problem is reported, and nothing is granted
    looked_ = time;
  }
  const std::int64_t today = now();
  for (const ApprovalSubject& candidate : query.candidates) {
    const Approval* best = longest(file_.entries(), candidate, query, today, nullptr);
    best = longest(session_, candidate, query, today, best);
    if (best != nullptr) return *best;
  }
  return std::nullopt;
}

std::size_t ApprovalStore::drop_expired(std::vector<Approval>& approvals) const {
  const std::int64_t today = now();
  return std::erase_if(approvals,
                       [today](const Approval& each) { return is_expired(each, today); });
}

Result<Approval> ApprovalStore::remember_in(std::vector<Approval>& approvals,
                                            const Approval& approval) const {
  drop_expired(approvals);
  std::erase_if(approvals, [&](const Approval& each) { return same_place(each, approval); });
  if (approvals.size() >= kMaxApprovals) {
    return Status::error("approvals_full", "there are " + std::to_string(kMaxApprovals) +
                                               " approvals already; revoke some "
                                               "(gibbous approvals)");
  }
  approvals.push_back(approval);
  return approval;
}

Result<Approval> ApprovalStore::remember(Approval approval) {
  if (Status status = check(approval); !status) return status;
  approval.created = now();
  if (is_expired(approval, approval.created)) {
    return Status::error("invalid_arguments",
                         "expires: expected a time in the future, or 0 for never");
  }
  approval.id = random_id();
  if (approval.scope == ApprovalScope::kSession) {
    return remember_in(session_, approval);
  }
  approval.session.clear();
  const Status status = file_.change(
      [&](std::vector<Approval>& approvals) -> Result<Edit> {
        const auto kept = remember_in(approvals, approval);
        return kept ? Result<Edit>(Edit::kWrite) : kept.status();
      },
      true, false);
  if (!status) return status;
  return approval;
}

Result<std::vector<Approval>> ApprovalStore::list() {
  if (Status status = file_.refresh(); !status) return status;
  std::vector<Approval> all = file_.entries();
  all.insert(all.end(), session_.begin(), session_.end());
  drop_expired(all);
  std::stable_sort(all.begin(), all.end(),
                   [](const Approval& a, const Approval& b) { return a.created < b.created; });
  return all;
}

Result<Approval> ApprovalStore::revoke(std::string_view id) {
  (void)file_.refresh();
  Named named;
  named.look(session_, id);
  const Approval* const of_session = named.found;
  named.look(file_.entries(), id);
  // Approvals of a session do not depend on the disk.
  if (named.found != nullptr && named.found == of_session && !named.ambiguous) {
    Approval revoked = *named.found;
    std::erase_if(session_, [&](const Approval& each) { return each.id == revoked.id; });
    return revoked;
  }
  Approval revoked;
  const auto take = [&](std::vector<Approval>& approvals) -> Result<Edit> {
    Named newest;
    newest.look(session_, id);
    newest.look(approvals, id);
    if (Status status = newest.status(id); !status) return status;
    revoked = *newest.found;
    std::erase_if(approvals, [&](const Approval& each) { return each.id == revoked.id; });
    drop_expired(approvals);
    return Edit::kWrite;
  };
  const Status status = file_.change(take, false, true);
  if (nothing_there(status)) return named.status(id).ok() ? status : named.status(id);
  if (!status) return status;
  return revoked;
}

Result<std::size_t> ApprovalStore::revoke_all() {
  drop_expired(session_);
  std::size_t count = session_.size();
  session_.clear();
  const Status status = file_.change(
      [&](std::vector<Approval>& approvals) -> Result<Edit> {
        if (approvals.empty()) return Edit::kNothing;
        drop_expired(approvals);
        count += approvals.size();
        approvals.clear();
        return Edit::kWrite;
      },
      false, true);
  if (!status && !nothing_there(status)) return status;
  return count;
}

bool ApprovalStore::nothing_there(const Status& status) const {
  return status.code() == "state_dir_missing" || (!status && options_.directory.empty());
}

void ApprovalStore::end_session(std::string_view session) {
  std::erase_if(session_, [session](const Approval& each) { return each.session == session; });
}

Result<std::size_t> ApprovalStore::prune() {
  std::size_t count = drop_expired(session_);
  if (Status status = file_.refresh(); !status) return status;
  const std::int64_t today = now();
  const auto expired = [today](const Approval& each) { return is_expired(each, today); };
  if (std::none_of(file_.entries().begin(), file_.entries().end(), expired)) return count;
  const Status status = file_.change(
      [&](std::vector<Approval>& approvals) -> Result<Edit> {
        const std::size_t dropped = drop_expired(approvals);
        count += dropped;
        return dropped > 0 ? Edit::kWrite : Edit::kNothing;
      },
      false, false);
  if (!status) return status;
  return count;
}

}  // namespace gibbous
