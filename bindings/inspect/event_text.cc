// See event_text.h.
#include "bindings/inspect/event_text.h"

#include "bindings/json/text.h"
#include "bindings/stdio/question_text.h"
#include "runtime/output/text.h"

namespace gibbous::inspect {
namespace {

constexpr std::size_t kMaxEventNameBytes = 100;
constexpr std::size_t kMaxDetailBytes = 1'000;

void append(std::string& detail, const std::string& part) {
  if (part.empty()) return;
  if (!detail.empty()) detail += "  ";
  detail += part;
}

// The most informative text of the meta first.
std::string detail_of(const Json& meta) {
  std::string detail;
  for (const char* name : {"line", "message", "reason", "command"}) {
    const auto found = meta.find(name);
    if (found == meta.end() || !found->is_string()) continue;
    append(detail, stdio::printable(clean(found->get_ref<const std::string&>()), kMaxDetailBytes));
    if (!detail.empty()) break;
  }
  if (const auto code = meta.find("exit_code"); code != meta.end() && code->is_number_integer()) {
    append(detail, "exit code " + code->dump());
  }
  if (const auto count = meta.find("count"); count != meta.end() && count->is_number_integer()) {
    append(detail, "count " + count->dump());
  }
  return detail;
}

}  // namespace

Grade grade_of_state(const std::string& state) {
  if (state == "completed") return Grade::kGood;
  if (state == "failed" || state == "lost") return Grade::kBad;
  if (state == "killed" || state == "timeout") return Grade::kWarning;
  return Grade::kPlain;
}

EventText event_text(const StoredItem& item) {
  const Json meta = parse_object(item.meta, kMaxJournalTextBytes);
  EventText text{.name = stdio::printable(item.payload, kMaxEventNameBytes),
                 .detail = detail_of(meta)};
  if (item.type == ItemType::kState) {
    text.grade = grade_of_state(item.payload);
  } else if (const auto state = meta.find("state"); state != meta.end() && state->is_string()) {
    text.grade = grade_of_state(state->get<std::string>());
  }
  return text;
}

std::string event_json(const std::string& run_id, const std::string& session_id,
                       const StoredItem& item) {
  OrderedJson line = {{"at", item.created_at},
                      {"run", to_utf8(run_id)},
                      {"session", to_utf8(session_id)},
                      {"seq", item.seq},
                      {"type", to_string(item.type)}};
  line[to_string(item.type)] = to_utf8(item.payload);
  if (!item.meta.empty()) line["meta"] = parse_object(item.meta, kMaxJournalTextBytes);
  return to_text(line);
}

}  // namespace gibbous::inspect
