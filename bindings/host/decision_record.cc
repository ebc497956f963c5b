// See decision_record.h.
#include "bindings/host/decision_record.h"

#include <algorithm>
#include <utility>

#include "bindings/host/redacted_words.h"
#include "bindings/json/text.h"

namespace gibbous::host {
namespace {

constexpr std::size_t kMaxTextBytes = std::size_t{16} << 10;  // of one text in a record

std::string cut_id(const std::string& id) {
  return id.substr(0, kMaxJournalIdBytes);
}

// Adds one member of the request, unless it is empty.
void copy(const Json& request, const char* name, const char* as, const Redactor* redactor,
          OrderedJson& record) {
  const auto found = request.find(name);
  if (found == request.end() || found->empty()) return;
  if (!found->is_string()) {
    record[as] = OrderedJson::parse(to_text(*found));
    return;
  }
  const auto& text = found->get_ref<const std::string&>();
  if (!text.empty())
    record[as] = redactor != nullptr ? redacted_text(*redactor, text, kMaxTextBytes)
                                     : cut_text(text, kMaxTextBytes);
}

OrderedJson cut_words(const Json& argv, const Redactor& redactor) {
  OrderedJson words = OrderedJson::array();
  for (const Json& word : redacted_words(argv, redactor))
    words.push_back(cut_text(word, kMaxTextBytes));
  return words;
}

OrderedJson redacted_env(const Json& env, const Redactor& redactor) {
  OrderedJson variables = OrderedJson::object();
  for (const auto& [name, value] : env.items()) {
    const std::string text = redactor.redact(
        name + "=" + (value.is_string() ? value.get<std::string>() : to_text(value)));
    variables[name] = cut_text(text.substr(std::min(text.size(), name.size() + 1)), kMaxTextBytes);
  }
  return variables;
}

void add_request(const Json& request, const Redactor& redactor, OrderedJson& record) {
  copy(request, "kind", "effect", nullptr, record);
  for (const char* name : {"tool", "session", "mode", "workspace", "cwd", "run", "signal"}) {
    copy(request, name, name, nullptr, record);
  }
  copy(request, "command", "command", &redactor, record);
  copy(request, "text", "text", &redactor, record);
  if (const auto argv = request.find("argv"); argv != request.end() && argv->is_array()) {
    record["argv"] = cut_words(*argv, redactor);
  }
  const auto env = request.find("env");
  if (env != request.end() && env->is_object() && !env->empty()) {
    record["env"] = redacted_env(*env, redactor);
  }
  if (record.contains("command")) return;
  if (const auto args = request.find("args"); args != request.end() && !args->empty()) {
    record["args"] = redacted_text(redactor, to_text(*args), kMaxTextBytes);
  }
}

void add_verdict(const lua::Decided& decided, const Redactor& redactor, OrderedJson& record) {
  const lua::Verdict& verdict = decided.verdict;
  record["decision"] = name_of(verdict.decision);
  record["rule"] = verdict.rule;
  // The reason may quote typed text.
  const bool secret = decided.request.echo == lua::TypedEcho::kHidden;
  if (!verdict.reason.empty() && !secret)
    record["reason"] = redacted_text(redactor, verdict.reason, kMaxTextBytes);
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
}

}  // namespace

std::string decision_json(const lua::Decided& decided, const Redactor& redactor, std::int64_t at) {
  OrderedJson record = {{"version", kDecisionVersion}, {"time", at}, {"id", decided.id}};
  add_request(lua::to_json(decided.request), redactor, record);
  add_verdict(decided, redactor, record);
  std::string line = to_text(record);
  if (line.size() <= kMaxDecisionBytes) return line;
  for (const char* list : {"argv", "env"}) record.erase(list);  // everything else is cut already
  record["cut"] = true;
  return to_text(record);
}

DecisionRecord decision_record(const lua::Decided& decided, std::string json, std::int64_t at) {
  DecisionRecord record;
  record.session_id = cut_id(decided.request.session);
  record.run_id = cut_id(decided.request.run);
  record.generation = static_cast<std::int64_t>(decided.generation);
  record.decision = name_of(decided.verdict.decision);
  record.rule = cut_id(decided.verdict.rule);
  record.record_json = std::move(json);
  record.created_at = at;
  return record;
}

DecisionRecord gap_record(std::uint64_t count, std::int64_t at) {
  DecisionRecord record;
  record.decision = "lost";
  record.record_json =
      to_text(OrderedJson({{"version", kDecisionVersion}, {"time", at}, {"lost", count}}));
  record.created_at = at;
  return record;
}

}  // namespace gibbous::host
