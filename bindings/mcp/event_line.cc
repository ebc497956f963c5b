// See event_line.h.
#include "bindings/mcp/event_line.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "runtime/base/duration.h"

namespace gibbous::mcp {
namespace {

constexpr std::size_t kMaxLineBytes = 300;
constexpr std::size_t kMaxMergedLines = 5;

std::string text_of(const Json& event, const char* name) {
  const auto found = event.find(name);
  return found != event.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::string number_of(const Json& event, const char* name) {
  const auto found = event.find(name);
  return found != event.end() && found->is_number() ? found->dump() : std::string();
}

// Cut before a character that would not fit whole.
std::string cut(std::string text, std::size_t max_bytes = kMaxLineBytes) {
  if (text.size() <= max_bytes) return text;
  while (max_bytes > 0 && (static_cast<unsigned char>(text[max_bytes]) & 0xC0U) == 0x80)
    --max_bytes;
  return text.substr(0, max_bytes) + "…";
}

std::string who(const Json& event) {
  const std::string label = text_of(event, "label");
  return label.empty() ? text_of(event, "run") : label;
}

std::string after(const Json& event) {
  const auto runtime = event.find("runtime_ms");
  if (runtime == event.end() || !runtime->is_number()) return "";
  return " after " + short_duration(std::max(0.0, runtime->get<double>()));
}

std::string how_it_ended(const Json& event) {
  const std::string state = text_of(event, "state");
  const std::string code = number_of(event, "exit_code");
  const bool plain = state == "completed" || state == "failed";
  if (plain && !code.empty()) return "exit " + code;
  const std::string reason = text_of(event, "reason");
  return reason.empty() ? state : reason;
}

std::string with_excerpt(std::string line, const Json& event) {
  std::string excerpt = text_of(event, "errors");
  if (!excerpt.empty() && excerpt.back() != '\n') excerpt += '\n';
  return line + "]\n" + excerpt;
}

std::string ended(const Json& event) {
  std::string line = "[" + who(event) + " ended: " + how_it_ended(event) + after(event);
  const std::string next = text_of(event, "next");
  if (!next.empty()) line += "; started again as " + next;
  return with_excerpt(std::move(line), event);
}

std::string suppressed(const Json& event) {
  std::string line =
      "[" + who(event) + ": " + number_of(event, "count") + " more matches not shown";
  const auto watchers = event.find("watchers");
  if (watchers != event.end() && watchers->is_array()) {
    std::string names;
    for (const Json& each : *watchers) {
      names +=
          (names.empty() ? "" : ", ") + text_of(each, "event") + " " + number_of(each, "count");
    }
    line += " (" + names + ")";
  }
  return line + "]\n";
}

bool is_match(const Json& event) {
  return event.contains("watcher") && event.contains("line");
}

bool is_same_watcher(const Json& left, const Json& right) {
  return is_match(left) && is_match(right) && left["watcher"] == right["watcher"] &&
         text_of(left, "run") == text_of(right, "run") &&
         text_of(left, "event") == text_of(right, "event");
}

// One match without its brackets: where, the line, the lines around it, what a handler says.
std::string match_text(const Json& event) {
  std::string text;
  const std::string line = number_of(event, "line_number");
  const std::string row = number_of(event, "row");
  if (!line.empty()) text = "line " + line + ": ";
  if (!row.empty()) text = "row " + row + ": ";
  text += cut(text_of(event, "line"));
  for (const char* around : {"before", "after"}) {
    const auto found = event.find(around);
    if (found == event.end() || !found->is_array()) continue;
    for (const Json& each : *found) {
      if (each.is_string())
        text += std::string("\n") + around + ": " + cut(each.get<std::string>());
    }
  }
  if (const auto data = event.find("data"); data != event.end()) text += " " + data->dump();
  const std::string fault = text_of(event, "handler_error");
  return fault.empty() ? text : text + " (its handler failed: " + fault + ")";
}

std::string matches(const std::vector<Json>& events, std::size_t from, std::size_t to) {
  std::string text = "[" + who(events[from]) + " " + text_of(events[from], "event");
  if (to - from > 1) text += " ×" + std::to_string(to - from);
  text += ": ";
  for (std::size_t i = from; i < to && i < from + kMaxMergedLines; ++i) {
    text += (i == from ? "" : "\n") + match_text(events[i]);
  }
  if (to - from > kMaxMergedLines) {
    text += "\n… the last: " + match_text(events[to - 1]);
  }
  return text + "]\n";
}

std::string one(const Json& event) {
  const std::string name = text_of(event, "event");
  const std::string reason = text_of(event, "reason");
  if (name == "run_ended") return ended(event);
  if (name == "run_ready") {
    return "[" + who(event) + " ready" + after(event) + ": " + text_of(event, "because") + "]\n";
  }
  if (name == "run_not_ready") {
    return with_excerpt("[" + who(event) + " not ready" + after(event) + ": " + reason, event);
  }
  if (name == "run_requeued") {
    return "[" + who(event) + " queued again, attempt " + number_of(event, "attempt") +
           (reason.empty() ? "" : ": " + reason) + "]\n";
  }
  if (name == "events_suppressed") return suppressed(event);
  if (name == "events_dropped") {
    return "[" + number_of(event, "count") + " earlier events left out]\n";
  }
  if (name == "run_log_failed") {
    return "[" + who(event) + ": log " + text_of(event, "path") +
           " failed: " + text_of(event, "message") + "]\n";
  }
  if (name == "run_log_recovered") {
    return "[" + who(event) + ": log " + text_of(event, "path") + " is written again]\n";
  }
  return "[" + name + (who(event).empty() ? "" : " " + who(event)) + ": " + event.dump() + "]\n";
}

}  // namespace

std::string event_lines(const std::vector<Json>& events) {
  std::string text;
  for (std::size_t at = 0; at < events.size();) {
    std::size_t next = at + 1;
    while (next < events.size() && is_same_watcher(events[at], events[next])) ++next;
    text += is_match(events[at]) ? matches(events, at, next) : one(events[at]);
    at = next;
  }
  return text;
}

}  // namespace gibbous::mcp
