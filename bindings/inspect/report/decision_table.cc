// See decision_table.h.
#include "bindings/inspect/report/decision_table.h"

#include <array>
#include <map>
#include <utility>
#include <vector>

#include "bindings/inspect/decision_text.h"
#include "bindings/inspect/figures.h"
#include "bindings/inspect/report/html.h"

namespace gibbous::report {
namespace {

constexpr std::size_t kMaxTextBytes = 1'200;  // each part is bounded already

std::string verdict_class(const std::string& decision) {
  if (decision == "allow" || decision == "ask") return decision;
  return "deny";
}

struct Decision {
  const DecisionRecord* record = nullptr;
  inspect::DecisionText text;
};

// A command is judged with its call, and again when it starts. Where both were allowed by the same
// rule, the start says nothing new and is left out.
std::vector<Decision> telling_decisions(const std::vector<DecisionRecord>& all) {
  using Key = std::array<std::string, 3>;
  std::map<Key, std::size_t> calls;  // allowed ones whose start has not come
  std::vector<Decision> telling;
  for (const DecisionRecord& record : all) {
    Decision next{&record, inspect::decision_text(record)};
    const inspect::DecisionText& text = next.text;
    if (text.decision == "allow" && !text.subject.empty()) {
      std::size_t& open = calls[{text.tool, text.rule, text.subject}];
      if (text.effect == "start" && open > 0) {
        --open;
        continue;
      }
      if (text.effect == "call") ++open;
    }
    telling.push_back(std::move(next));
  }
  return telling;
}

std::string row(const Decision& shown) {
  const DecisionRecord& decision = *shown.record;
  const inspect::DecisionText& text = shown.text;
  std::string html = "<tr class=\"" + verdict_class(text.decision) + "\"><td class=\"when\">" +
                     inspect::time_text(decision.created_at) +
                     "</td><td><span class=\"verdict-word\">" +
                     escaped(text.decision, kMaxTextBytes) +
                     "</span></td><td><span class=\"quiet\">" + escaped(text.tool, kMaxTextBytes);
  if (!text.effect.empty()) html += " · " + escaped(text.effect, kMaxTextBytes);
  if (!decision.run_id.empty()) html += " · " + escaped(decision.run_id, kMaxTextBytes);
  html += "</span>";
  if (!text.subject.empty()) html += "<code>" + escaped(text.subject, kMaxTextBytes) + "</code>";
  html += "</td><td>";
  if (!text.reason.empty()) html += "<div>" + escaped(text.reason, kMaxTextBytes) + "</div>";
  if (!text.answer.empty()) {
    html += "<div class=\"answer\">" + escaped(text.answer, kMaxTextBytes) + "</div>";
  }
  return html + "<span class=\"quiet\">" + escaped(text.rule, kMaxTextBytes) + "</span></td></tr>";
}

}  // namespace

std::string decisions_html(const Story& story, std::size_t most) {
  if (story.decisions.empty()) return "";
  const std::vector<Decision> telling = telling_decisions(story.decisions);
  std::vector<std::string> rows;
  std::size_t bytes = 0;
  for (auto each = telling.rbegin(); each != telling.rend(); ++each) {
    std::string next = row(*each);
    bytes += next.size();
    if (bytes > most) break;
    rows.push_back(std::move(next));
  }
  const std::uint64_t left_out = story.decisions_left_out + (telling.size() - rows.size());
  std::string html =
      "<section id=\"decisions\"><h2>Decisions</h2><label class=\"only\"><input type=\"checkbox\" "
      "id=\"only\"> only what was asked or denied</label>";
  if (left_out > 0) {
    html +=
        "<p class=\"note\">" + inspect::count_text(left_out, "older decision") + " left out</p>";
  }
  html +=
      "<div class=\"wide\"><table><thead><tr><th>Time</th><th>Verdict</th><th>What</th>"
      "<th>Why</th></tr></thead><tbody>";
  for (auto each = rows.rbegin(); each != rows.rend(); ++each) html += *each;
  return html + "</tbody></table></div></section>";
}

}  // namespace gibbous::report
