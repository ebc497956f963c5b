// See decision_table.h.
#include "bindings/inspect/report/decision_table.h"

#include <vector>

#include "bindings/inspect/figures.h"
#include "bindings/inspect/report/html.h"
#include "bindings/json/text.h"

namespace gibbous::report {
namespace {

constexpr std::size_t kMaxWordBytes = 100;
constexpr std::size_t kMaxTextBytes = 1'000;

std::string text_of(const Json& record, const char* name) {
  const auto found = record.find(name);
  return found != record.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// The command, the program and its words, the arguments, or what was written: whatever there is.
std::string subject_of(const Json& record) {
  for (const char* name : {"command", "argv", "text", "args", "signal"}) {
    const auto found = record.find(name);
    if (found == record.end()) continue;
    if (found->is_string()) return found->get<std::string>();
    return to_text(*found);
  }
  return "";
}

// What a person answered: "allowed by sam: looks fine".
std::string answer_of(const Json& record) {
  const auto found = record.find("answer");
  if (found == record.end() || !found->is_object()) return "";
  const auto allow = found->find("allow");
  const bool allowed = allow != found->end() && allow->is_boolean() && allow->get<bool>();
  const std::string who = text_of(*found, "who");
  const std::string reason = text_of(*found, "reason");
  return std::string(allowed ? "allowed" : "refused") + (who.empty() ? "" : " by " + who) +
         (reason.empty() ? "" : ": " + reason);
}

std::string verdict_class(const std::string& decision) {
  if (decision == "allow" || decision == "ask") return decision;
  return "deny";
}

std::string row(const DecisionRecord& decision) {
  const Json record = parse_object(decision.record_json, kMaxJournalTextBytes);
  std::string html = "<tr class=\"" + verdict_class(decision.decision) + "\"><td class=\"when\">" +
                     inspect::time_text(decision.created_at) +
                     "</td><td><span class=\"verdict-word\">" +
                     escaped(decision.decision, kMaxWordBytes) + "</span></td><td>";
  const std::string tool = text_of(record, "tool");
  const std::string effect = text_of(record, "effect");
  html += "<span class=\"quiet\">" + escaped(tool, kMaxWordBytes);
  if (!effect.empty()) html += " · " + escaped(effect, kMaxWordBytes);
  if (!decision.run_id.empty()) html += " · " + escaped(decision.run_id, kMaxWordBytes);
  html += "</span>";
  const std::string subject = subject_of(record);
  if (!subject.empty()) html += "<code>" + escaped(subject, kMaxTextBytes) + "</code>";
  html += "</td><td>";
  const std::string reason = text_of(record, "reason");
  if (!reason.empty()) html += "<div>" + escaped(reason, kMaxTextBytes) + "</div>";
  const std::string answer = answer_of(record);
  if (!answer.empty()) html += "<div class=\"answer\">" + escaped(answer, kMaxTextBytes) + "</div>";
  return html + "<span class=\"quiet\">" + escaped(decision.rule, kMaxWordBytes) +
         "</span></td></tr>";
}

}  // namespace

std::string decisions_html(const Story& story, std::size_t most) {
  if (story.decisions.empty()) return "";
  std::vector<std::string> rows;
  std::size_t bytes = 0;
  for (auto each = story.decisions.rbegin(); each != story.decisions.rend(); ++each) {
    std::string next = row(*each);
    bytes += next.size();
    if (bytes > most) break;
    rows.push_back(std::move(next));
  }
  const std::uint64_t left_out = story.decisions_left_out + (story.decisions.size() - rows.size());
  std::string html =
      "<section id=\"decisions\"><h2>Decisions</h2><label class=\"only\"><input type=\"checkbox\" "
      "id=\"only\"> only what was asked or denied</label>";
  if (left_out > 0) {
    html += "<p class=\"note\">" + std::to_string(left_out) + " older decisions are left out</p>";
  }
  html +=
      "<div class=\"wide\"><table><thead><tr><th>Time</th><th>Verdict</th><th>What</th>"
      "<th>Why</th></tr></thead><tbody>";
  for (auto each = rows.rbegin(); each != rows.rend(); ++each) html += *each;
  return html + "</tbody></table></div></section>";
}

}  // namespace gibbous::report
