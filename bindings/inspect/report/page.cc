// See page.h.
#include "bindings/inspect/report/page.h"

#include <algorithm>
#include <map>
#include <vector>

#include "bindings/inspect/figures.h"
#include "bindings/inspect/report/decision_table.h"
#include "bindings/inspect/report/html.h"
#include "bindings/inspect/report/run_section.h"
#include "bindings/inspect/report/timeline.h"
#include "bindings/json/base64.h"
#include "gibbous/runtime.h"
#include "runtime/base/sha256.h"

namespace gibbous::report {
namespace {

constexpr std::size_t kMaxTimelineBytes = std::size_t{2} << 20;
constexpr std::size_t kMaxDecisionBytes = std::size_t{1} << 20;
constexpr std::size_t kReservedBytes = std::size_t{64} << 10;  // style, script, head, foot
constexpr std::size_t kMinRunBytes = std::size_t{1} << 10;
constexpr std::size_t kMaxNameBytes = 200;

std::string from_hex(std::string_view hex) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (std::size_t at = 0; at + 1 < hex.size(); at += 2) {
    bytes += static_cast<char>(digit(hex[at]) << 4 | digit(hex[at + 1]));
  }
  return bytes;
}

// This is a second defence after escaping: the page runs only its own script and loads nothing.
std::string content_policy() {
  return "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" +
         base64(from_hex(sha256_hex(page_script()))) + "'; base-uri 'none'; form-action 'none'";
}

std::string head(const std::string& title) {
  return "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
         "<meta name=\"color-scheme\" content=\"light dark\">"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"" +
         content_policy() + "\"><title>" + title + "</title><style>" + std::string(page_style()) +
         "</style></head><body><main>";
}

std::string tile(const std::string& figure, const std::string& what, const std::string& kind = "") {
  return "<div class=\"tile " + kind + "\"><b>" + figure + "</b><span>" + what + "</span></div>";
}

std::string tiles(const Story& story) {
  std::map<std::string, std::size_t> states;
  std::uint64_t peak = 0;
  std::int64_t cpu = 0;
  for (const RunStory& run : story.runs) {
    ++states[state_class(run.record.status)];
    peak = std::max(peak, run.facts.peak_rss_bytes.value_or(0));
    cpu += run.facts.cpu_ms.value_or(0);
  }
  std::string html = "<div class=\"tiles\">" + tile(std::to_string(story.runs.size()),
                                                    story.runs.size() == 1 ? "run" : "runs");
  for (const char* state : {"completed", "failed", "killed", "timeout", "lost", "running"}) {
    if (states[state] > 0) html += tile(std::to_string(states[state]), state, state);
  }
  std::size_t denied = 0;
  for (const DecisionRecord& each : story.decisions) denied += each.decision == "deny" ? 1 : 0;
  if (denied > 0) html += tile(std::to_string(denied), "denied", "failed");
  if (cpu > 0) html += tile(inspect::duration_text(cpu), "processor time");
  if (peak > 0) html += tile(inspect::bytes_text(peak), "peak memory of a run");
  return html + "</div>";
}

// Without the date when the session ended on the day on which it began.
std::string end_time(const Story& story) {
  constexpr std::size_t kDateBytes = std::string_view("2026-11-22").size();
  const std::string begin = inspect::date_time_text(story.begin);
  const std::string end = inspect::date_time_text(story.end);
  const bool same_day = begin.compare(0, kDateBytes, end, 0, kDateBytes) == 0;
  return same_day ? inspect::time_text(story.end) : end;
}

std::string header(const Story& story, const std::string& name) {
  return "<header><p class=\"quiet\">Session</p><h1>" + name + "</h1><p class=\"quiet\">" +
         inspect::date_time_text(story.begin) + " to " + end_time(story) + ", " +
         inspect::duration_text(story.end - story.begin) + "</p>" + tiles(story) + "</header>";
}

// The newest run gets its share of the bytes first; the oldest is printed first.
std::string runs_html(const Story& story, std::size_t most) {
  std::vector<std::string> sections;
  std::size_t left = most;
  for (std::size_t i = story.runs.size(); i-- > 0;) {
    std::string section = run_html(story, i, std::max(left / (i + 1), kMinRunBytes));
    if (section.size() > left) break;
    left -= section.size();
    sections.push_back(std::move(section));
  }
  std::string html =
      "<section><h2>Runs</h2><p class=\"only\"><button id=\"open-all\">Open all</button> "
      "<button id=\"close-all\">Close all</button></p>";
  if (story.runs_left_out || sections.size() < story.runs.size()) {
    html += "<p class=\"note\">Only the newest " + inspect::count_text(sections.size(), "run") +
            " in full</p>";
  }
  for (auto each = sections.rbegin(); each != sections.rend(); ++each) html += *each;
  return html + "</section>";
}

std::string footer(const Story& story) {
  return "<footer class=\"quiet\">Made by Gibbous " + std::string(version()) + " at " +
         inspect::date_time_text(story.made_at) +
         ". This page is one file; it loads nothing.</footer></main><div id=\"tip\" hidden></div>"
         "<script>" +
         std::string(page_script()) + "</script></body></html>\n";
}

}  // namespace

std::string page_html(const Story& story) {
  const std::string name =
      story.session.empty() ? "(no name)" : escaped(story.session, kMaxNameBytes);
  std::string page = head(name + " · Gibbous") + header(story, name) +
                     "<section><h2>Timeline</h2>" + timeline_html(story, kMaxTimelineBytes) +
                     "</section>" + decisions_html(story, kMaxDecisionBytes);
  const std::size_t used = std::min(page.size() + kReservedBytes, kMaxPageBytes);
  return page + runs_html(story, kMaxPageBytes - used) + footer(story);
}

}  // namespace gibbous::report
