// See decisions.h.
#include "bindings/host/decisions.h"

#include <utility>

#include "bindings/host/decision_record.h"

namespace gibbous::host {
namespace {

constexpr std::int64_t kMillisPerSecond = 1'000;

std::unique_ptr<DecisionLog> make_log(const std::string& directory, const Clock& clock,
                                      const std::function<void(const std::string&)>& on_problem) {
  DecisionLogOptions options;
  options.directory = directory;
  options.on_problem = [on_problem](const Status& status) { on_problem(status.message()); };
  options.on_recovered = [&clock](std::uint64_t lost) {
    return lost == 0 ? std::string() : gap_json(lost, clock.wall().count());
  };
  return std::make_unique<DecisionLog>(std::move(options), clock);
}

}  // namespace

Decisions::Decisions(std::string directory, const Clock& clock, lua::Engine& engine,
                     Recording& recording,
                     std::function<void(const std::string& message)> on_problem)
    : clock_(clock),
      engine_(engine),
      on_problem_(std::move(on_problem)),
      approvals_({.directory = directory,
                  .on_problem = [this](const Status& status) { on_problem_(status.message()); }},
                 clock) {
  if (recording.is_enabled()) {
    journal_ = std::make_unique<DecisionJournal>(recording, clock, on_problem_);
  } else if (!directory.empty()) {
    log_ = make_log(directory, clock, on_problem_);
  }
  engine_.set_approver([this](AskRequest request) { ask(std::move(request)); },
                       [this](const std::string& id) {
                         const auto withdrawn = withdrawn_;  // it may set another one
                         if (withdrawn) withdrawn(id);
                       });
  engine_.on_decision([this](const lua::Decided& decided) { record(decided); });
}

void Decisions::ask(AskRequest request) {
  ApprovalQuery query;
  query.candidates = {{ApprovalKind::kArgv, request.subject}, {ApprovalKind::kRule, request.rule}};
  query.mode = request.mode;
  query.mode_rank = request.mode_rank;
  query.workspace = request.workspace;
  query.session = request.session;
  if (const auto held = approvals_.find(query)) {
    AskAnswer answer;
    answer.allow = true;
    answer.reason = "approval " + held->id;
    answer.who = held->who;
    request.reply(answer);
    return;
  }
  if (!handler_) {
    AskAnswer answer;
    answer.no_approver = true;
    request.reply(answer);
    return;
  }
  AskRequest shown = request;
  request.reply = nullptr;  // only the handler's copy is left: dropping it denies
  shown.reply = [this, alive = std::weak_ptr<const int>(lifetime_), asked = std::move(request),
                 reply = std::move(shown.reply)](const AskAnswer& answer) {
    if (alive.expired() || !reply(answer)) return false;
    if (answer.allow && answer.remember != AskAnswer::Remember::kOnce) remember(asked, answer);
    return true;
  };
  const auto handler = handler_;  // it may set another one
  handler(std::move(shown));
}

void Decisions::remember(const AskRequest& request, const AskAnswer& answer) {
  Approval approval;
  const bool rule = answer.about == AskAnswer::About::kRule;
  approval.kind = rule ? ApprovalKind::kRule : ApprovalKind::kArgv;
  approval.subject = rule ? request.rule : request.subject;
  approval.mode = request.mode;
  approval.mode_rank = request.mode_rank;
  approval.workspace = request.workspace;
  approval.scope = answer.remember == AskAnswer::Remember::kSession ? ApprovalScope::kSession
                                                                    : ApprovalScope::kRemembered;
  approval.session = request.session;
  if (answer.lasts.count() > 0)
    approval.expires = clock_.wall().count() / kMillisPerSecond + answer.lasts.count();
  approval.policy_hash = request.policy;
  approval.who = answer.who;
  const auto kept = approvals_.remember(std::move(approval));
  if (!kept) on_problem_("the approval counts only this once: " + kept.status().message());
}

void Decisions::record(const lua::Decided& decided) {
  if (journal_ == nullptr && log_ == nullptr) return;
  const std::int64_t now = clock_.wall().count();
  std::string json = decision_json(decided, redactor_of(decided.generation), now);
  if (journal_ != nullptr) {
    journal_->add(decision_record(decided, std::move(json), now));
  } else if (const Status status = log_->append(json); status.code() == "invalid_arguments") {
    on_problem_("a decision is not recorded: " + status.message());  // on_problem reports the rest
  }
}

// Another generation may have other patterns.
const Redactor& Decisions::redactor_of(std::uint64_t generation) {
  if (redactor_generation_ != generation) {
    redactor_generation_ = generation;
    auto redactor = Redactor::create(engine_.current()->policy().redact_patterns());
    if (redactor) redactor_ = std::move(*redactor);
  }
  return redactor_;
}

}  // namespace gibbous::host
