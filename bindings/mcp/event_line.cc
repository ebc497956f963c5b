// See event_line.h.
#include "bindings/mcp/event_line.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "bindings/json/member.h"
#include "runtime/base/cut_line.h"
#include "runtime/base/duration.h"

namespace gibbous::mcp {
namespace {

constexpr std::size_t kMaxLineBytes = 300;
constexpr std::size_t kMaxCommandBytes = 80;
constexpr std::size_t kMaxMergedLines = 5;
constexpr double kMergedWithinMs = 200;

std::string number_of(const Json& event, const char* name) {
  const auto found = event.find(name);
  return found != event.end() && found->is_number() ? found->dump() : std::string();
}

std::string joined(const Json& event, const char* name) {
  std::string text;
  const auto list = event.find(name);
  if (list == event.end() || !list->is_array()) return text;
  for (const Json& each : *list) {
    if (each.is_string()) text += (text.empty() ? "" : ", ") + each.get<std::string>();
  }
  return text;
}

std::string who(const Json& event) {
  const std::string label = text_member(event, "label");
  return label.empty() ? text_member(event, "run") : label;
}

std::string after(const Json& event) {
  const auto runtime = event.find("runtime_ms");
  if (runtime == event.end() || !runtime->is_number()) return "";
  return " after " + short_duration(std::max(0.0, runtime->get<double>()));
}

std::string how_it_ended(const Json& event) {
  const std::string state = text_member(event, "state");
  const std::string code = number_of(event, "exit_code");
  const bool plain = state == "completed" || state == "failed";
  if (plain && !code.empty()) return "exit " + code;
  const std::string reason = text_member(event, "reason");
  return reason.empty() ? state : reason;
}

std::string with_excerpt(std::string line, const Json& event) {
  std::string excerpt = text_member(event, "errors");
  if (!excerpt.empty() && excerpt.back() != '\n') excerpt += '\n';
  return line + "]\n" + excerpt;
}

std::string ended(const Json& event) {
  std::string line = "[" + who(event) + " ended: " + how_it_ended(event) + after(event);
  const std::string next = text_member(event, "next");
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
          (names.empty() ? "" : ", ") + text_member(each, "event") + " " + number_of(each, "count");
    }
    line += " (" + names + ")";
  }
  return line + "]\n";
}

bool is_match(const Json& event) {
  return event.contains("watcher") && event.contains("line");
}

// A preset is several watchers with one event, and is one to who asked for it.
bool is_same_event(const Json& left, const Json& right) {
  return text_member(left, "run") == text_member(right, "run") &&
         text_member(left, "event") == text_member(right, "event");
}

// Returns true when two watchers of a preset found the same line.
bool is_same_line(const Json& left, const Json& right) {
  return left["line"] == right["line"] &&
         text_member(left, "stream") == text_member(right, "stream") &&
         number_of(left, "line_number") == number_of(right, "line_number") &&
         number_of(left, "row") == number_of(right, "row") && left.contains("line_number");
}

// The match is what a long line is cut around.
LinePlace place_of_match(const Json& event) {
  const auto column = event.find("column");
  const bool known = column != event.end() && column->is_number_integer() && *column > 0;
  return known ? LinePlace{column->get<std::size_t>() - 1, 1} : LinePlace{0, 1};
}

// Writes one match without its brackets: its place, its line, the lines around it, and the
// handler's answer.
std::string match_text(const Json& event) {
  std::string text;
  const std::string line = number_of(event, "line_number");
  const std::string row = number_of(event, "row");
  if (!line.empty()) text = "line " + line + ": ";
  if (!row.empty()) text = "row " + row + ": ";
  text += cut_line(text_member(event, "line"), kMaxLineBytes, place_of_match(event));
  if (event.contains("cut")) text += " (of a line longer than 64 KiB, whose rest is not searched)";
  for (const char* around : {"before", "after"}) {
    const auto found = event.find(around);
    if (found == event.end() || !found->is_array()) continue;
    for (const Json& each : *found) {
      if (each.is_string())
        text +=
            std::string("\n") + around + ": " + cut_line(each.get<std::string>(), kMaxLineBytes);
    }
  }
  if (const auto data = event.find("data"); data != event.end()) text += " " + data->dump();
  const std::string fault = text_member(event, "handler_error");
  return fault.empty() ? text : text + " (its handler failed: " + fault + ")";
}

std::string matches(const std::vector<const Json*>& events) {
  std::string text = "[" + who(*events[0]) + " " + text_member(*events[0], "event");
  if (events.size() > 1) text += " ×" + std::to_string(events.size());
  text += ": ";
  for (std::size_t i = 0; i < events.size() && i < kMaxMergedLines; ++i) {
    text += (i == 0 ? "" : "\n") + match_text(*events[i]);
  }
  if (events.size() > kMaxMergedLines) text += "\n… the last: " + match_text(*events.back());
  return text + "]\n";
}

std::string one(const Json& event) {
  const std::string name = text_member(event, "event");
  const std::string reason = text_member(event, "reason");
  if (name == "run_ended") return ended(event);
  if (name == "run_ready") {
    return "[" + who(event) + " ready" + after(event) + ": " + text_member(event, "because") +
           "]\n";
  }
  if (name == "run_not_ready") {
    return with_excerpt("[" + who(event) + " not ready" + after(event) + ": " + reason, event);
  }
  if (name == "run_inherited") {
    const bool waits = text_member(event, "state") != "running";
    return "[" + who(event) + ", queued before you connected, " +
           (waits ? "still waits: " : "has begun: ") +
           cut_line(text_member(event, "command"), kMaxCommandBytes) + "]\n";
  }
  if (name == "run_requeued") {
    return "[" + who(event) + " queued again, attempt " + number_of(event, "attempt") +
           (reason.empty() ? "" : ": " + reason) + "]\n";
  }
  if (name == "events_suppressed") return suppressed(event);
  if (name == "events_dropped") {
    return "[" + number_of(event, "count") + " earlier events left out]\n";
  }
  if (name == "repositories_changed") {
    const std::string changed = joined(event, "changed");
    const std::string made = joined(event, "made");
    return "[" + who(event) + (changed.empty() ? "" : " changed " + changed) +
           (changed.empty() || made.empty() ? "" : " and") +
           (made.empty() ? "" : " made the Git repositories " + made) + ". " +
           text_member(event, "message") + "]\n";
  }
  if (name == "sandbox_gap") return "[" + text_member(event, "message") + "]\n";
  if (name == "run_log_failed") {
    return "[" + who(event) + ": log " + text_member(event, "path") +
           " failed: " + text_member(event, "message") + "]\n";
  }
  if (name == "run_log_recovered") {
    return "[" + who(event) + ": log " + text_member(event, "path") + " is written again]\n";
  }
  return "[" + name + (who(event).empty() ? "" : " " + who(event)) + ": " + event.dump() + "]\n";
}

// One event, or the matches that are told as one.
using Entry = std::vector<const Json*>;

bool is_soon_after(const Json& earlier, const Json& later) {
  const auto first = earlier.find("at_ms");
  const auto second = later.find("at_ms");
  if (first == earlier.end() || second == later.end()) return false;
  if (!first->is_number() || !second->is_number()) return false;
  return second->get<double>() - first->get<double>() <= kMergedWithinMs;
}

// Returns the entry that a match belongs to: matches of one watcher are merged when nothing but
// matches came between them, or when they came within kMergedWithinMs. Those of two watchers take
// turns when their lines do.
Entry* entry_of(const Json& match, std::vector<Entry>& entries) {
  bool only_matches = true;
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    const Json& last = *entry->back();
    if (!is_match(last)) {
      only_matches = false;
    } else if (is_same_event(last, match)) {
      return only_matches || is_soon_after(*entry->front(), match) ? &*entry : nullptr;
    }
  }
  return nullptr;
}

std::vector<Entry> entries_of(const std::vector<Json>& events) {
  std::vector<Entry> entries;
  for (const Json& event : events) {
    Entry* entry = is_match(event) ? entry_of(event, entries) : nullptr;
    if (entry == nullptr) {
      entries.push_back({&event});
    } else if (!is_same_line(*entry->back(), event)) {
      entry->push_back(&event);
    }
  }
  return entries;
}

}  // namespace

std::string event_lines(const std::vector<Json>& events) {
  std::string text;
  for (const Entry& entry : entries_of(events)) {
    text += is_match(*entry[0]) ? matches(entry) : one(*entry[0]);
  }
  return text;
}

}  // namespace gibbous::mcp
