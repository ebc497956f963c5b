// See decision_text.h.
#include "bindings/inspect/decision_text.h"

#include "bindings/json/member.h"
#include "bindings/json/text.h"
#include "bindings/stdio/question_text.h"
#include "runtime/output/text.h"

namespace gibbous::inspect {
namespace {

constexpr std::size_t kMaxWordBytes = 100;
constexpr std::size_t kMaxTextBytes = 1'000;

std::string subject_of(const Json& record) {
  if (const auto lost = record.find("lost"); lost != record.end()) {
    return to_text(*lost) + " decisions could not be recorded";
  }
  for (const char* name : {"command", "argv", "text", "args", "signal"}) {
    const auto found = record.find(name);
    if (found == record.end()) continue;
    std::string text = found->is_string() ? found->get<std::string>() : to_text(*found);
    std::string words = in_words(parse_object(text, kMaxJournalTextBytes));  // args
    return words.empty() ? text : words;
  }
  return "";
}

std::string answer_of(const Json& record) {
  const auto found = record.find("answer");
  if (found == record.end() || !found->is_object()) return "";
  const auto allow = found->find("allow");
  const bool allowed = allow != found->end() && allow->is_boolean() && allow->get<bool>();
  const std::string who = text_member(*found, "who");
  const std::string reason = text_member(*found, "reason");
  return std::string(allowed ? "allowed" : "refused") + (who.empty() ? "" : " by " + who) +
         (reason.empty() ? "" : ": " + reason);
}

// "" when this program can read the record.
std::string too_new(const Json& record) {
  const auto version = record.find("version");
  if (version == record.end() || *version == Json(kDecisionVersion)) return "";
  return "(decision_newer: the record has version " + to_text(*version).substr(0, kMaxWordBytes) +
         ", and this program knows " + std::to_string(kDecisionVersion) + ")";
}

}  // namespace

DecisionText decision_text(const DecisionRecord& decision) {
  const Json record = parse_object(decision.record_json, kMaxJournalTextBytes);
  const auto word = [](const std::string& text) { return stdio::printable(text, kMaxWordBytes); };
  const auto text = [](const std::string& text) { return stdio::printable(text, kMaxTextBytes); };
  // The columns of the table mean the same in all versions.
  if (const std::string why = too_new(record); !why.empty()) {
    DecisionText newer;
    newer.decision = word(decision.decision);
    newer.rule = word(decision.rule);
    newer.subject = text(why);
    return newer;
  }
  return {.decision = word(decision.decision),
          .rule = word(decision.rule),
          .tool = word(text_member(record, "tool")),
          .effect = word(text_member(record, "effect")),
          .subject = text(subject_of(record)),
          .reason = text(text_member(record, "reason")),
          .answer = text(answer_of(record))};
}

Json persons_answer(const DecisionRecord& decision) {
  if (decision.record_json.find("\"answer\":") == std::string::npos) return nullptr;
  const Json record = parse_object(decision.record_json, kMaxJournalTextBytes);
  const Json answer = record.value("answer", Json::object());
  const std::string who = text_member(answer, "who");
  const std::string reason = text_member(answer, "reason");
  if (who.empty() || reason.starts_with("approval ") || reason.starts_with("question ")) {
    return nullptr;
  }
  const DecisionText text = decision_text(decision);
  return Json{{"id", text_member(record, "id")},
              {"decision", text.decision},
              {"who", who},
              {"reason", reason},
              {"rule", text.rule},
              {"message", text.answer + "  " + text.subject}};
}

std::string decision_json(const DecisionRecord& decision) {
  const bool is_line = decision.record_json.find('\n') == std::string::npos;
  if (is_line && Json::accept(decision.record_json)) return decision.record_json;
  return to_text(OrderedJson({{"time", decision.created_at},
                              {"session", to_utf8(decision.session_id)},
                              {"run", to_utf8(decision.run_id)},
                              {"decision", to_utf8(decision.decision)},
                              {"rule", to_utf8(decision.rule)}}));
}

}  // namespace gibbous::inspect
