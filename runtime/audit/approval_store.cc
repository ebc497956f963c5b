// See approval_store.h.
#include "runtime/audit/approval_store.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "runtime/base/random_id.h"

namespace gibbous {
namespace {

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

// The approval that has this id, or of which it is the unique beginning.
Result<Approval> named(const std::vector<Approval>& approvals, std::string_view id) {
  const std::string quoted = "'" + std::string(id) + "'";
  const Approval* found = nullptr;
  bool ambiguous = false;
  for (const Approval& approval : approvals) {
    if (id.empty() || !approval.id.starts_with(id)) continue;
    if (approval.id.size() == id.size()) return approval;
    ambiguous = found != nullptr;
    found = &approval;
  }
  if (found == nullptr) {
    return Status::error("approval_not_found", "there is no approval " + quoted +
                                                   "; 'gibbous approvals list' names them all");
  }
  if (!ambiguous) return *found;
  return Status::error("approval_ambiguous",
                       "more than one approval's id begins with " + quoted + "; give more of it");
}

}  // namespace

ApprovalStore::ApprovalStore(std::string directory, const Clock& clock,
                             std::function<void(const Status&)> on_problem)
    : directory_(std::move(directory)), clock_(clock), on_problem_(std::move(on_problem)) {}

std::int64_t ApprovalStore::now() const {
  return std::chrono::floor<std::chrono::seconds>(clock_.wall()).count();
}

void ApprovalStore::drop_expired(std::vector<Approval>& approvals) const {
  std::erase_if(approvals, [time = now()](const Approval& each) { return is_expired(each, time); });
}

Result<std::vector<Approval>> ApprovalStore::read(const StateRows& rows) const {
  std::vector<Approval> approvals;
  for (const StateRow& row : rows) {
    auto approval = approval_of(row);
    if (!approval) {
      return damaged_state_table(
          kApprovalTable, directory_,
          "approval " + std::to_string(approvals.size() + 1) + " in it is malformed");
    }
    approvals.push_back(std::move(*approval));
  }
  return approvals;
}

// Looks by path, to notice a state directory that was replaced.
Status ApprovalStore::refresh() {
  if (mark_.is_current(directory_ + "/" + kApprovalTable.name)) return {};
  remembered_.clear();
  const Result<StateRows> rows = read_state_table(kApprovalTable, directory_, &mark_);
  auto approvals = rows ? read(*rows) : rows.status();
  const Status& status = approvals.status();
  if (approvals) {
    remembered_ = std::move(*approvals);
  } else {
    mark_ = {};
  }
  // Each problem when it appears, not at each look.
  if (!status && status.message() != reported_ && on_problem_) on_problem_(status);
  reported_ = status.message();
  return status;
}

Status ApprovalStore::change(const StateWrite& how,
                             const std::function<Status(std::vector<Approval>&)>& edit) const {
  return change_state_table(kApprovalTable, directory_, how, [&](StateRows& rows) -> Result<bool> {
    auto approvals = read(rows);
    if (!approvals) return approvals.status();
    drop_expired(*approvals);
    if (const Status status = edit(*approvals); !status) return status;
    rows.clear();
    for (const Approval& each : *approvals) rows.push_back(row_of(each));
    return true;
  });
}

std::optional<Approval> ApprovalStore::find(const ApprovalQuery& query) {
  (void)refresh();  // the problem is reported, and nothing is granted
  const std::int64_t time = now();
  for (const ApprovalSubject& candidate : query.candidates) {
    const Approval* best = longest(remembered_, candidate, query, time, nullptr);
    best = longest(session_, candidate, query, time, best);
    if (best != nullptr) return *best;
  }
  return std::nullopt;
}

Status ApprovalStore::add(std::vector<Approval>& approvals, const Approval& approval) const {
  drop_expired(approvals);
  std::erase_if(approvals, [&](const Approval& each) { return same_place(each, approval); });
  if (approvals.size() >= kMaxApprovals) {
    return Status::error("approvals_full", "there are " + std::to_string(kMaxApprovals) +
                                               " approvals already; " + kApprovalTable.when_full);
  }
  approvals.push_back(approval);
  return {};
}

Result<Approval> ApprovalStore::remember(Approval approval) {
  if (Status status = check(approval); !status) return status;
  approval.created = now();
  if (is_expired(approval, approval.created)) {
    return Status::error("invalid_arguments",
                         "expires: expected a time in the future, or 0 for never");
  }
  approval.id = random_id();
  const bool lasts = approval.scope == ApprovalScope::kRemembered;
  if (lasts) approval.session.clear();
  const Status status = lasts
                            ? change({.durable = false},
                                     [&](std::vector<Approval>& all) { return add(all, approval); })
                            : add(session_, approval);
  if (!status) return status;
  return approval;
}

void ApprovalStore::end_session(std::string_view session) {
  std::erase_if(session_, [session](const Approval& each) { return each.session == session; });
}

Result<std::vector<Approval>> ApprovalStore::list() {
  if (Status status = refresh(); !status) return status;
  std::vector<Approval> all = remembered_;
  drop_expired(all);
  std::stable_sort(all.begin(), all.end(),
                   [](const Approval& a, const Approval& b) { return a.created < b.created; });
  return all;
}

Result<Approval> ApprovalStore::revoke(std::string_view id) {
  Result<Approval> revoked = Approval();
  const Status status = change({.make = false}, [&](std::vector<Approval>& all) {
    revoked = named(all, id);
    if (!revoked) return revoked.status();
    std::erase_if(all, [&](const Approval& each) { return each.id == revoked->id; });
    return Status();
  });
  if (!status) return status;
  return revoked;
}

Result<std::size_t> ApprovalStore::revoke_all() {
  std::size_t count = 0;
  const Status status = change({.make = false}, [&](std::vector<Approval>& all) {
    count = all.size();
    all.clear();
    return Status();
  });
  if (!status) return status;
  return count;
}

}  // namespace gibbous
