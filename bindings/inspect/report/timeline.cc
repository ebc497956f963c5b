// See timeline.h.
#include "bindings/inspect/report/timeline.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "bindings/inspect/figures.h"
#include "bindings/inspect/report/html.h"
#include "bindings/inspect/run_text.h"

namespace gibbous::report {
namespace {

constexpr std::size_t kMaxTitleBytes = 300;  // the page shows as much as fits
constexpr std::size_t kMaxTipBytes = 300;
constexpr const char* kTipLine = "&#10;";

// The position of a time on the line, from 0 to 1.
double place_of(const Story& story, std::int64_t at) {
  return static_cast<double>(at - story.begin) / static_cast<double>(story.end - story.begin);
}

std::string left_of(const Story& story, std::int64_t at) {
  return "left:" + percent(place_of(story, at));
}

// The step between two labels: the smallest one that gives few enough labels.
std::int64_t step_for(std::int64_t span) {
  constexpr std::int64_t kMostSteps = 8;
  constexpr std::array<std::int64_t, 26> kSteps = {
      1,         2,         5,          10,         20,        50,        100,
      200,       500,       1'000,      2'000,      5'000,     10'000,    20'000,
      30'000,    60'000,    120'000,    300'000,    600'000,   1'200'000, 1'800'000,
      3'600'000, 7'200'000, 14'400'000, 43'200'000, 86'400'000};
  for (const std::int64_t step : kSteps) {
    if (span / step <= kMostSteps) return step;
  }
  return (span / kMostSteps / kSteps.back() + 1) * kSteps.back();
}

// "+2m", without parts that are zero.
std::string tick_text(std::int64_t at) {
  if (at == 0) return "0";
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kNothing = {
      {{"m00s", "m"}, {"h00m", "h"}, {"d0h", "d"}, {".0s", "s"}}};
  const std::string text = inspect::duration_text(at);
  for (const auto& [ending, instead] : kNothing) {
    if (text.ends_with(ending)) {
      return "+" + text.substr(0, text.size() - ending.size()) + std::string(instead);
    }
  }
  return "+" + text;
}

std::string axis(const Story& story) {
  constexpr double kLastLabel = 0.96;  // a label further right would not fit
  const std::int64_t step = step_for(story.end - story.begin);
  std::string html = "<div class=\"row axis\"><span class=\"name\"></span><span class=\"track\">";
  for (std::int64_t at = 0; at <= story.end - story.begin; at += step) {
    const std::string left = left_of(story, story.begin + at);
    html += "<i class=\"tick\" style=\"" + left + "\"></i>";
    if (place_of(story, story.begin + at) > kLastLabel) continue;
    html += "<span class=\"time\" style=\"" + left + "\">" + tick_text(at) + "</span>";
  }
  return html + "</span></div>";
}

// Events that are too close for marks of their own, oldest first.
struct MarkGroup {
  double place = 0;
  std::vector<const StoryEvent*> events;
};

std::vector<MarkGroup> groups_of(const Story& story, const RunStory& run) {
  constexpr double kMarkWidth = 0.008;  // of the line
  std::vector<MarkGroup> groups;
  for (const StoryEvent& event : run.events) {
    if (event.is_state) continue;
    const double place = place_of(story, event.at);
    if (groups.empty() || place - groups.back().place > kMarkWidth) groups.push_back({place, {}});
    groups.back().events.push_back(&event);
  }
  return groups;
}

std::string mark(const MarkGroup& group) {
  constexpr std::size_t kMaxTipEvents = 6;
  std::string tip;
  const std::size_t count = std::min(group.events.size(), kMaxTipEvents);
  for (std::size_t i = 0; i < count; ++i) {
    const StoryEvent& event = *group.events[i];
    if (i > 0) tip += kTipLine;
    tip += inspect::time_text(event.at) + "  " + escaped(event.text.name, kMaxTitleBytes);
    if (!event.text.detail.empty()) tip += "  " + escaped(event.text.detail, kMaxTipBytes);
  }
  if (const std::size_t more = group.events.size() - count; more > 0) {
    tip += kTipLine + std::string("and ") + inspect::count_text(more, "more event");
  }
  return "<i class=\"mark\" style=\"left:" + percent(group.place) + "\" data-tip=\"" + tip +
         "\"></i>";
}

std::string bar_tip(const Story& story, const RunStory& run) {
  const RunRecord& record = run.record;
  const std::string why = inspect::end_text(record, run.facts);
  std::string tip = escaped(record.run_id, kMaxTitleBytes) + "  " +
                    escaped(record.status, kMaxTitleBytes) + kTipLine +
                    escaped(inspect::title_of(record, run.facts), kMaxTipBytes) + kTipLine +
                    inspect::time_text(inspect::beginning_of(record)) + ", " +
                    inspect::duration_text(inspect::runtime_of(record, story.made_at));
  if (!why.empty()) tip += kTipLine + escaped(why, kMaxTipBytes);
  return tip;
}

std::string bars(const Story& story, const RunStory& run) {
  const RunRecord& record = run.record;
  const std::int64_t end = inspect::has_ended(record) ? record.finished_at : story.made_at;
  const std::int64_t begin = record.started_at != 0 ? record.started_at : end;
  const auto bar = [&](const std::string& kind, std::int64_t from, std::int64_t to) {
    const double width = std::max(place_of(story, to) - place_of(story, from), 0.0);
    return "<span class=\"bar " + kind + "\" style=\"" + left_of(story, from) +
           ";width:" + percent(width) + "\" data-tip=\"" + bar_tip(story, run) + "\"></span>";
  };
  std::string html;
  if (record.queued_at != 0 && begin > record.queued_at) {
    html += bar("waited", record.queued_at, begin);
  }
  if (record.started_at != 0) html += bar(state_class(record.status), begin, end);
  return html;
}

std::string decision_row(const Story& story, std::size_t most) {
  std::string marks;
  for (auto each = story.decisions.rbegin(); each != story.decisions.rend(); ++each) {
    const double place = place_of(story, each->created_at);
    if (each->decision == "allow" || place < 0 || place > 1) continue;
    if (marks.size() > most) break;
    marks += "<i class=\"verdict " + std::string(each->decision == "deny" ? "deny" : "ask") +
             "\" style=\"" + left_of(story, each->created_at) + "\" data-tip=\"" +
             inspect::time_text(each->created_at) + "  " + escaped(each->decision, kMaxTitleBytes) +
             kTipLine + escaped(each->rule, kMaxTipBytes) + "\"></i>";
  }
  if (marks.empty()) return "";
  return "<a class=\"row\" href=\"#decisions\"><span class=\"name\"><span>policy: asked, denied"
         "</span></span><span class=\"track\">" +
         marks + "</span></a>";
}

std::string legend(bool has_decisions) {
  std::string html =
      "<div class=\"legend\"><span><i class=\"bar waited\"></i>waiting</span>"
      "<span><i class=\"mark\"></i>event</span>";
  if (has_decisions) {
    html +=
        "<span><i class=\"verdict ask\"></i>asked</span>"
        "<span><i class=\"verdict deny\"></i>denied</span>";
  }
  return html + "</div>";
}

}  // namespace

std::string timeline_html(const Story& story, std::size_t most) {
  const std::string decisions = decision_row(story, most / 8);
  std::string rows;
  std::size_t left = most - std::min(most, decisions.size());
  // Starts with the newest run, so that the oldest marks are the ones left out.
  for (std::size_t i = story.runs.size(); i-- > 0;) {
    const RunStory& run = story.runs[i];
    std::string row = "<a class=\"row\" href=\"#" + run_anchor(i) + "\"><span class=\"name\"><b>" +
                      escaped(run.record.run_id, kMaxTitleBytes) + "</b> <span>" +
                      escaped(inspect::title_of(run.record, run.facts), kMaxTitleBytes) +
                      "</span></span><span class=\"track\">" + bars(story, run);
    for (const MarkGroup& group : groups_of(story, run)) {
      if (row.size() < left / 16) row += mark(group);
    }
    row += "</span></a>";
    left -= std::min(left, row.size());
    rows.insert(0, row);
  }
  return "<div class=\"timeline\">" + axis(story) + decisions + rows + legend(!decisions.empty()) +
         "</div>";
}

std::string state_class(const std::string& state) {
  for (const char* known :
       {"queued", "starting", "running", "completed", "failed", "killed", "timeout", "lost"}) {
    if (state == known) return known;
  }
  return "other";
}

std::string run_anchor(std::size_t index) {
  return "run-" + std::to_string(index + 1);
}

}  // namespace gibbous::report
