// See run_section.h.
#include "bindings/inspect/report/run_section.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "bindings/inspect/figures.h"
#include "bindings/inspect/report/curve.h"
#include "bindings/inspect/report/html.h"
#include "bindings/inspect/report/output_html.h"
#include "bindings/inspect/report/timeline.h"
#include "bindings/inspect/run_text.h"
#include "runtime/output/error_line.h"
#include "runtime/output/text.h"

namespace gibbous::report {
namespace {

constexpr std::size_t kMaxLabelBytes = 100;
constexpr std::size_t kMaxShownBytes = 2'000;
constexpr std::size_t kMaxEventBytes = 300;
constexpr std::size_t kEventShare = 3;       // a third of a run's bytes goes to its events
constexpr const char* kCommand = "Command";  // it gets a row of its own

std::string summary(const Story& story, const RunStory& run) {
  const RunRecord& record = run.record;
  const std::string state = state_class(record.status);
  return "<summary><span class=\"state " + state + "\">" + escaped(record.status, kMaxLabelBytes) +
         "</span><b class=\"id\">" + escaped(record.run_id, kMaxLabelBytes) +
         "</b><code class=\"title\">" +
         escaped(inspect::title_of(record, run.facts), kMaxEventBytes) +
         "</code><span class=\"quiet\">" +
         inspect::duration_text(inspect::runtime_of(record, story.made_at)) + "</span></summary>";
}

std::string fact(const char* name, const std::string& html) {
  if (html.empty()) return "";
  const char* kind = std::string_view(name) == kCommand ? "<div class=\"whole\"><dt>" : "<div><dt>";
  return std::string(kind) + name + "</dt><dd>" + html + "</dd></div>";
}

// Every start takes a moment, which says nothing about a queue.
bool waited_long(const RunRecord& record) {
  constexpr std::int64_t kLongMillis = 1'000;
  return record.started_at == 0 || record.started_at - record.queued_at >= kLongMillis;
}

std::string facts_html(const RunStory& run) {
  const RunRecord& record = run.record;
  const inspect::RunFacts& facts = run.facts;
  const auto text = [](const std::string& value) { return escaped(value, kMaxShownBytes); };
  const auto time = [](std::int64_t at) {
    return at == 0 ? std::string() : inspect::date_time_text(at);
  };
  std::string html =
      "<dl>" + fact(kCommand, "<code>" + text(facts.redaction.redact(record.command)) + "</code>") +
      fact("Directory", text(facts.cwd)) + fact("Tool", text(facts.tool)) +
      fact("Queued", waited_long(record) ? time(record.queued_at) : std::string()) +
      fact("Started", time(record.started_at)) + fact("Ended", time(record.finished_at));
  const std::string& reason = record.error_message;
  const std::string code = std::to_string(record.exit_code);
  if (record.has_exit_code) html += fact("Exit code", code);
  if (reason != "exit code " + code) html += fact("Reason", text(facts.redaction.redact(reason)));
  if (reason.find(facts.signal) == std::string::npos) html += fact("Signal", text(facts.signal));
  html += fact("Limit", text(facts.limit)) + fact("Mode", text(facts.mode)) +
          fact("Sandbox", text(facts.sandbox));
  if (facts.cpu_ms) html += fact("Processor time", inspect::duration_text(*facts.cpu_ms));
  if (facts.peak_rss_bytes) html += fact("Peak memory", inspect::bytes_text(*facts.peak_rss_bytes));
  return html + "</dl>";
}

std::string grade_class(inspect::Grade grade) {
  switch (grade) {
    case inspect::Grade::kPlain:
      return "";
    case inspect::Grade::kGood:
      return " class=\"completed\"";
    case inspect::Grade::kBad:
      return " class=\"failed\"";
    case inspect::Grade::kWarning:
      return " class=\"killed\"";
  }
  return "";
}

std::string event_html(const StoryEvent& event) {
  return "<li><time>" + inspect::time_text(event.at) + "</time><b" + grade_class(event.text.grade) +
         ">" + escaped(event.text.name, kMaxLabelBytes) + "</b><span>" +
         escaped(event.text.detail, kMaxEventBytes) + "</span></li>";
}

// The newest events that fit.
std::string events_html(const RunStory& run, std::size_t most) {
  if (run.events.empty()) return "";
  std::vector<std::string> events;
  std::size_t bytes = 0;
  for (auto each = run.events.rbegin(); each != run.events.rend() && bytes < most; ++each) {
    events.push_back(event_html(*each));
    bytes += events.back().size();
  }
  const std::uint64_t left_out = run.events_left_out + (run.events.size() - events.size());
  std::string html = "<h3>Events</h3>";
  if (left_out > 0) {
    html += "<p class=\"note\">" + inspect::count_text(left_out, "older event") + " left out</p>";
  }
  html += "<ol class=\"events\">";
  for (auto each = events.rbegin(); each != events.rend(); ++each) html += *each;
  return html + "</ol>";
}

// Warnings and progress are written to stderr, too, so that a line of it is an error only when it
// says so.
std::string line_html(const inspect::OutputLine& line, OutputHtml& out, OutputHtml& err) {
  const bool is_error =
      line.kind != inspect::OutputLine::Kind::kNote && looks_like_error(gibbous::clean(line.text));
  switch (line.kind) {
    case inspect::OutputLine::Kind::kOut:
      return (is_error ? "<div class=\"e\">" : "<div>") + out.line(line.text) + "\n</div>";
    case inspect::OutputLine::Kind::kError:
      return (is_error ? "<div class=\"s e\">" : "<div class=\"s\">") + err.line(line.text) +
             "\n</div>";
    case inspect::OutputLine::Kind::kNote:
      return "<div class=\"n\">" + escaped(line.text, kMaxShownBytes) + "\n</div>";
  }
  return "";
}

// The newest lines that fit.
std::string output_html(const RunStory& run, std::size_t most) {
  OutputHtml out;
  OutputHtml err;
  std::vector<std::string> lines;
  for (const inspect::OutputLine& line : run.output.lines())
    lines.push_back(line_html(line, out, err));
  std::size_t first = lines.size();
  for (std::size_t bytes = 0; first > 0; --first) {
    bytes += lines[first - 1].size();
    if (bytes > most) break;
  }
  const std::uint64_t left_out = run.output.left_out() + first;
  std::string html = "<h3>Output</h3>";
  if (lines.empty()) return html + "<p class=\"note\">It wrote nothing.</p>";
  html += "<pre tabindex=\"0\">";
  if (left_out > 0) {
    html += "<div class=\"n\">" + inspect::count_text(left_out, "older line") + " left out\n</div>";
  }
  for (std::size_t i = first; i < lines.size(); ++i) html += lines[i];
  return html + "</pre>";
}

}  // namespace

std::string run_html(const Story& story, std::size_t index, std::size_t most) {
  const RunStory& run = story.runs[index];
  const std::string state = state_class(run.record.status);
  const bool opened = state == "failed" || state == "lost" || story.runs.size() == 1;
  std::string html = "<details class=\"run\" id=\"" + run_anchor(index) + "\"" +
                     (opened ? " open" : "") + ">" + summary(story, run) + facts_html(run) +
                     curves_html(run.samples) + events_html(run, most / kEventShare);
  html += output_html(run, most - std::min(most, html.size()));
  return html + "</details>";
}

}  // namespace gibbous::report
