// See event_text.h.
#include "bindings/inspect/event_text.h"

#include <utility>

#include "bindings/json/member.h"
#include "bindings/json/text.h"
#include "bindings/stdio/question_text.h"
#include "runtime/output/text.h"

namespace gibbous::inspect {
namespace {

constexpr std::size_t kMaxEventNameBytes = 100;
constexpr std::size_t kMaxDetailBytes = 1'000;
constexpr std::string_view kSuccess = "exit code 0";

void append(std::string& detail, const std::string& part) {
  if (part.empty()) return;
  if (!detail.empty()) detail += "  ";
  detail += part;
}

// Returns what the handler of an event added, or ""; the event itself is an item of its own.
std::string outcome_of(const Json& meta, const Redaction& redaction) {
  if (const std::string error = text_member(meta, "handler_error"); !error.empty()) {
    return "handler failed: " + stdio::printable(redaction.redact(clean(error)), kMaxDetailBytes);
  }
  const auto found = meta.find("data");
  if (found == meta.end()) return "";
  Json data = {{"data", *found}};
  redaction.redact_strings(data);
  const Json& safe = data["data"];
  const std::string text = safe.is_string() ? safe.get<std::string>() : to_text(safe);
  return "data " + stdio::printable(redaction.redact(text), kMaxDetailBytes);
}

// The most informative text of the meta first.
std::string detail_of(const Json& meta, const Redaction& redaction) {
  std::string detail = outcome_of(meta, redaction);
  if (!detail.empty()) return detail;
  for (const char* name : {"line", "message", "reason", "command"}) {
    const auto found = meta.find(name);
    if (found == meta.end() || !found->is_string()) continue;
    const std::string text = redaction.redact(clean(found->get_ref<const std::string&>()));
    append(detail, stdio::printable(text, kMaxDetailBytes));
    if (!detail.empty()) break;
  }
  if (const auto code = meta.find("exit_code"); code != meta.end() && code->is_number_integer()) {
    const std::string text = "exit code " + code->dump();
    if (detail.find(text) == std::string::npos) append(detail, text);
  }
  if (const auto count = meta.find("count"); count != meta.end() && count->is_number_integer()) {
    append(detail, "count " + count->dump());
  }
  return detail;
}

}  // namespace

std::string reason_beside(std::string_view state, std::string reason) {
  if (state == "completed" && reason == kSuccess) return "";
  if (!reason.starts_with(state) || reason.size() <= state.size() || reason[state.size()] != ' ')
    return reason;
  reason.erase(0, state.size() + 1);
  for (const std::string_view word : {"with ", "by "}) {
    if (reason.starts_with(word)) reason.erase(0, word.size());
  }
  return reason;
}

Grade grade_of_state(const std::string& state) {
  if (state == "completed") return Grade::kGood;
  if (state == "failed" || state == "lost") return Grade::kBad;
  if (state == "killed" || state == "timeout") return Grade::kWarning;
  return Grade::kPlain;
}

EventText event_text(const StoredItem& item, const Redaction& redaction) {
  const Json meta = parse_object(item.meta, kMaxJournalTextBytes);
  EventText text{.name = stdio::printable(item.payload, kMaxEventNameBytes),
                 .detail = detail_of(meta, redaction)};
  if (item.type == ItemType::kState) {
    text.grade = grade_of_state(item.payload);
    text.detail = reason_beside(item.payload, std::move(text.detail));
  } else if (const auto state = meta.find("state"); state != meta.end() && state->is_string()) {
    text.grade = grade_of_state(state->get<std::string>());
  }
  return text;
}

bool repeats_state(const StoredItem& item, const std::string& state) {
  if (item.type != ItemType::kEvent || state.empty()) return false;
  if (item.payload != "run_started" && item.payload != "run_ended") return false;
  const Json meta = parse_object(item.meta, kMaxJournalTextBytes);
  const auto told = meta.find("state");
  return told != meta.end() && *told == state;
}

std::string event_json(const RunRecord& run, const StoredItem& item, const Redaction& redaction) {
  OrderedJson line = {
      {"at", item.created_at}, {"run", to_utf8(run.run_id)}, {"session", to_utf8(run.client)}};
  if (run.session_id != run.client) line["queue"] = to_utf8(run.session_id);
  line["seq"] = item.seq;
  line["type"] = to_string(item.type);
  line[to_string(item.type)] = to_utf8(item.payload);
  if (!item.meta.empty()) {
    Json meta = parse_object(item.meta, kMaxJournalTextBytes);
    redaction.redact_strings(meta);
    line["meta"] = std::move(meta);
  }
  return to_text(line);
}

}  // namespace gibbous::inspect
