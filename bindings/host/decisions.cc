// See decisions.h.
#include "bindings/host/decisions.h"

#include <algorithm>
#include <utility>

#include "bindings/host/decision_record.h"

namespace gibbous::host {
namespace {

constexpr std::int64_t kMillisPerSecond = 1'000;

}  // namespace

Decisions::Decisions(std::string directory, uv_loop_s* loop, const Clock& clock, StateGate& gate,
                     lua::Engine& engine, Recording& recording, Runs& runs, lua::AskSettings times,
                     std::string approver, std::function<const Redactor&()> redactor,
                     std::function<void(const OpenAsk&)> notify,
                     std::function<void(const std::string& message)> on_problem)
    : clock_(clock),
      approver_(std::move(approver)),
      redactor_(std::move(redactor)),
      engine_(engine),
      on_problem_(std::move(on_problem)),
      gate_(gate),
      approvals_(directory, clock, [this](const Status& status) { on_problem_(status.message()); }),
      asks_(directory, loop, clock, gate, runs, times,
            {.remember =
                 [this](const AskRequest& request, const AskAnswer& answer,
                        const std::function<void()>& failed) { remember(request, answer, failed); },
             .record = [this](const AskRequest& request,
                              const AskAnswer& answer) { record_answer(request, answer); },
             .redactor = redactor_,
             .emit =
                 [this](const std::string& name, const std::string& session, Json fields,
                        bool hears) {
                   if (hears) call_handler(name, session, fields);
                   engine_.emit(name, session, std::move(fields));
                 },
             .on_problem = on_problem_,
             .notify = std::move(notify)}) {
  if (recording.is_enabled()) journal_.emplace(recording, clock, on_problem_);
  engine_.host.approver = [this](AskRequest request) { ask(std::move(request)); };
  engine_.host.approval_withdrawn = [this](const std::string& id) {
    if (gated_.erase(id) > 0) return;  // no person has seen it
    asks_.withdraw(id);
  };
  engine_.host.on_decision = [this](const lua::Decided& decided) { record(decided); };
}

// A watcher's handler on_ask_opened or on_ask_answered. It answers nothing.
void Decisions::call_handler(const std::string& name, const std::string& session,
                             const Json& fields) {
  lua::CallSpec hook;
  hook.handler = "on_" + name;
  hook.tool = hook.handler;
  hook.session = session;
  hook.values = fields;
  hook.values["event"] = name;
  hook.values["session"] = session;
  hook.on_done = [this, alive = std::weak_ptr<const int>(lifetime_), name](const CallResult& done) {
    if (!alive.expired() && !done.ok) on_problem_("on_" + name + " failed: " + done.message);
  };
  (void)engine_.run_hook(std::move(hook));
}

void Decisions::ask(AskRequest request) {
  gated_.insert(request.id);
  gate_.pass([this, request = std::move(request)](bool answers) {
    if (gated_.erase(request.id) == 0) return;  // withdrawn
    if (!answers) on_problem_("approvals do not count: the state directory does not answer");
    answer_or_show(request, answers);
  });
}

void Decisions::answer_or_show(AskRequest request, bool may_hold) {
  if (may_hold) {
    if (const auto held = find_approval(request)) {
      AskAnswer answer;
      answer.allow = true;
      answer.reason = "approval " + held->id;
      answer.who = held->who;
      request.reply(answer);
      return;
    }
  }
  asks_.ask(std::move(request), may_hold);
}

// What one client may decide, others have not decided.
std::string Decisions::remembered_as(const std::string& subject) const {
  return approver_.empty() ? subject : "[client " + approver_ + "] " + subject;
}

// One that covers the command, or one for each rule that asks.
std::optional<Approval> Decisions::find_approval(const AskRequest& request) {
  ApprovalQuery query;
  query.mode = request.mode;
  query.mode_rank = request.mode_rank;
  query.workspace = request.workspace;
  query.session = request.session;
  const std::string subject = remembered_as(request.subject);
  query.candidates = {{ApprovalKind::kArgv, subject}};
  std::vector<std::string> prefixes;
  for (const std::string& prefix : request.prefixes) prefixes.push_back(remembered_as(prefix));
  for (const std::string& prefix : prefixes) {
    query.candidates.push_back({ApprovalKind::kPrefix, prefix});
  }
  if (auto held = approvals_.find(query)) return held;
  if (!request.may_approve_rules) return std::nullopt;
  std::optional<Approval> held;
  for (const std::string& rule : request.rules) {
    const std::string key = remembered_as(rule);
    query.candidates = {{ApprovalKind::kRule, key}};
    auto found = approvals_.find(query);
    if (!found) return std::nullopt;
    if (!held) held = std::move(found);
  }
  return held;
}

void Decisions::remember(const AskRequest& request, const AskAnswer& answer,
                         const std::function<void()>& failed) {
  using About = AskAnswer::About;
  if (answer.about == About::kRule && request.may_approve_rules) {
    for (const std::string& rule : request.rules) {
      remember_as(ApprovalKind::kRule, rule, request, answer, failed);
    }
    return;
  }
  if (answer.about == About::kPrefix && !request.prefix.empty()) {
    const auto key = std::find_if(
        request.prefixes.begin(), request.prefixes.end(),
        [&](const std::string& each) { return each.rfind(request.prefix + " ", 0) == 0; });
    if (key != request.prefixes.end()) {
      return remember_as(ApprovalKind::kPrefix, *key, request, answer, failed);
    }
  }
  if (answer.about != About::kCommand) {
    on_problem_("only this very command is approved: its rules cannot be approved as a whole");
  }
  remember_as(ApprovalKind::kArgv, request.subject, request, answer, failed);
}

void Decisions::remember_as(ApprovalKind kind, const std::string& subject,
                            const AskRequest& request, const AskAnswer& answer,
                            const std::function<void()>& failed) {
  Approval approval;
  approval.kind = kind;
  approval.subject = remembered_as(subject);
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
  gate_.pass([this, approval = std::move(approval), failed](bool answers) {
    std::string why = answers ? "" : "the state directory does not answer";
    if (answers) {
      if (const auto kept = approvals_.remember(approval); !kept) why = kept.status().message();
    }
    if (why.empty()) return;
    on_problem_("the approval counts only this once: " + why);
    if (failed) failed();
  });
}

void Decisions::record_answer(const AskRequest& request, const AskAnswer& answer) {
  Json arguments = Json::parse(request.arguments, nullptr, /*allow_exceptions=*/false);
  if (arguments.is_discarded()) arguments = Json::object();
  Json fields = {{"kind", request.effect},         {"tool", request.tool},
                 {"mode", request.mode},           {"session", request.session},
                 {"workspace", request.workspace}, {"args", arguments}};
  if (!request.command.empty()) fields["command"] = request.command;
  const lua::PolicyRequest asked = lua::read_policy_request(fields);
  lua::Verdict verdict;
  verdict.decision = answer.allow ? lua::Verdict::Decision::kAllow : lua::Verdict::Decision::kDeny;
  verdict.rule = request.rule;
  verdict.reason = request.reason;
  verdict.file = request.file;
  verdict.line = request.line;
  record({request.id, asked, verdict, &answer, engine_.current()->id(), request.policy});
}

void Decisions::record(const lua::Decided& decided) {
  if (!journal_) return;
  const std::int64_t now = clock_.wall().count();
  journal_->add(decision_record(decided, decision_json(decided, redactor_(), now), now));
}

}  // namespace gibbous::host
