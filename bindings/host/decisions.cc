#include "bindings/host/decisions.h"

#include <chrono>
#include <utility>

#include "bindings/host/approval_record.h"
#include "bindings/json/json.h"

namespace gibbous::host {
namespace {

constexpr std::size_t kMaxUnrecorded = 200;
constexpr std::size_t kMaxTextBytes = std::size_t{16} << 10;  // of one text in a record

std::int64_t unix_millis() {
  using std::chrono::duration_cast;
  return duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::string cut(std::string text) {
  if (text.size() > kMaxTextBytes) {
    const std::size_t left_out = text.size() - kMaxTextBytes;
    text.resize(kMaxTextBytes);
    text += "... (" + std::to_string(left_out) + " bytes more)";
  }
  return text;
}

std::string dump(const OrderedJson& value) {
  return value.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

}  // namespace

Decisions::Decisions(std::string directory, const Clock& clock, lua::Engine& engine,
                     Recording& recording,
                     std::function<void(const std::string& message)> on_problem)
    : clock_(clock),
      engine_(engine),
      recording_(recording),
      on_problem_(std::move(on_problem)),
      approvals_({.directory = directory,
                  .on_problem = [this](const Status& status) { on_problem_(status.message()); }},
                 clock) {
  if (!directory.empty()) {
    DecisionLogOptions options;
    options.directory = directory;
    options.on_problem = [this](const Status& status) { on_problem_(status.message()); };
    options.on_recovered = [this](std::uint64_t lost) {
      if (lost == 0) return std::string();
      return dump({{"time", unix_millis()}, {"lost", lost}});
    };
    log_ = std::make_unique<DecisionLog>(std::move(options), clock_);
  }
  recording_.on_open = [this, alive = std::weak_ptr<const int>(lifetime_)] {
    if (!alive.expired()) record_waiting();
  };
  engine_.set_approver([this](AskRequest request) { ask(std::move(request)); });
  engine_.on_decision([this](const lua::Decided& decided) { log(decided); });
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
    answer.nobody = true;
    request.reply(answer);
    return;
  }
  AskRequest shown = request;
  request.reply = nullptr;  // only the handler's copy is left: dropping it denies
  shown.reply = [this, alive = std::weak_ptr<const int>(lifetime_), asked = std::move(request),
                 reply = std::move(shown.reply)](const AskAnswer& answer) {
    if (alive.expired()) return;
    if (answer.allow && answer.remember != AskAnswer::Remember::kOnce) remember(asked, answer);
    reply(answer);
  };
  handler_(std::move(shown));
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
  if (answer.lasts.count() > 0) approval.expires = unix_millis() / 1000 + answer.lasts.count();
  approval.policy_hash = request.policy;
  approval.who = answer.who;
  const auto kept = approvals_.remember(std::move(approval));
  if (!kept) {
    on_problem_("the approval counts only for this once: " + kept.status().message());
    return;
  }
  record_in_journal(*kept);
}

void Decisions::log(const lua::Decided& decided) {
  if (log_ == nullptr) return;
  if (redactor_generation_ != decided.generation) {
    redactor_generation_ = decided.generation;
    auto redactor = Redactor::create(engine_.current()->policy().redact_patterns());
    if (redactor) redactor_ = std::move(*redactor);
  }
  OrderedJson record = {{"time", unix_millis()}, {"id", decided.id}};
  const Json effect = lua::to_json(decided.request);
  const auto copy = [&](const char* key, const char* as, bool redacted) {
    const auto found = effect.find(key);
    if (found == effect.end() || found->empty()) return;
    if (!found->is_string()) {
      record[as] = OrderedJson::parse(found->dump(-1, ' ', false, Json::error_handler_t::replace));
      return;
    }
    const auto& text = found->get_ref<const std::string&>();
    if (text.empty()) return;
    record[as] = cut(redacted ? redactor_.redact(text) : text);
  };
  copy("kind", "effect", false);
  copy("tool", "tool", false);
  copy("session", "session", false);
  copy("mode", "mode", false);
  copy("workspace", "workspace", false);
  copy("cwd", "cwd", false);
  copy("run", "run", false);
  copy("signal", "signal", false);
  copy("command", "command", true);
  copy("text", "text", true);
  if (const auto argv = effect.find("argv"); argv != effect.end() && argv->is_array()) {
    // A secret may stand in the word behind its name.
    OrderedJson words = OrderedJson::array();
    std::string before;
    for (const Json& word : *argv) {
      if (!word.is_string()) continue;
      const auto& text = word.get_ref<const std::string&>();
      std::string redacted = redactor_.redact(text);
      if (redacted == text && !before.empty() && !text.empty()) {
        const std::string pair = before + " " + text;
        const std::string both = redactor_.redact(pair);
        if (both != pair && both.size() > before.size()) redacted = both.substr(before.size() + 1);
      }
      words.push_back(cut(std::move(redacted)));
      before = text;
    }
    record["argv"] = std::move(words);
  }
  if (const auto env = effect.find("env"); env != effect.end() && env->is_object()) {
    for (const auto& [name, value] : env->items()) {
      std::string text = name + "=" + (value.is_string() ? value.get<std::string>() : value.dump());
      text = redactor_.redact(text);
      record["env"][name] = cut(text.substr(std::min(text.size(), name.size() + 1)));
    }
  }
  if (!record.contains("command")) {
    if (const auto args = effect.find("args"); args != effect.end() && !args->empty()) {
      record["args"] =
          cut(redactor_.redact(args->dump(-1, ' ', false, Json::error_handler_t::replace)));
    }
  }
  const lua::Verdict& verdict = decided.verdict;
  record["decision"] = name_of(verdict.decision);
  record["rule"] = verdict.rule;
  // The reason may quote what was typed.
  const bool secret = decided.request.echo == lua::TypedEcho::kHidden;
  if (!verdict.reason.empty() && !secret) record["reason"] = cut(redactor_.redact(verdict.reason));
  if (!verdict.file.empty()) {
    record["file"] = verdict.file;
    record["line"] = verdict.line;
  }
  if (decided.answer != nullptr) {
    const AskAnswer& answer = *decided.answer;
    record["answer"] = {{"allow", answer.allow}, {"reason", answer.reason}, {"who", answer.who}};
  }
  record["generation"] = decided.generation;
  record["policy"] = decided.policy;
  const std::string line = dump(record);
  (void)log_->append(line);
  record_in_journal(decided, line);
}

// A journal that nobody has needed yet is not opened for this; until it is, decisions wait.
void Decisions::record_in_journal(const lua::Decided& decided, const std::string& line) {
  DecisionRecord decision;
  decision.session_id = decided.request.session.substr(0, kMaxJournalIdBytes);
  decision.run_id = decided.request.run.substr(0, kMaxJournalIdBytes);
  decision.generation = static_cast<std::int64_t>(decided.generation);
  decision.decision = name_of(decided.verdict.decision);
  decision.rule = decided.verdict.rule.substr(0, kMaxJournalIdBytes);
  decision.record_json = line;
  decision.created_at = unix_millis();
  unrecorded_.push_back(std::move(decision));
  if (unrecorded_.size() > kMaxUnrecorded) unrecorded_.pop_front();
  record_waiting();
}

void Decisions::record_in_journal(const Approval& approval) {
  ApprovalRecord record = record_of(approval);
  record.subject = redactor_.redact(record.subject);
  unrecorded_approvals_.push_back(std::move(record));
  if (unrecorded_approvals_.size() > kMaxUnrecorded) unrecorded_approvals_.pop_front();
  record_waiting();
}

void Decisions::record_waiting() {
  Journal* journal = recording_.journal();
  if (journal == nullptr) return;
  for (const DecisionRecord& each : unrecorded_) (void)journal->add_decision(each);
  unrecorded_.clear();
  for (const ApprovalRecord& each : unrecorded_approvals_) (void)journal->put_approval(each);
  unrecorded_approvals_.clear();
}

}  // namespace gibbous::host
