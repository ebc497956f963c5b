// See policy_suggest.h.
#include "bindings/cli/policy_suggest.h"

#include <algorithm>
#include <cstdio>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/cli/policy_log.h"
#include "bindings/cli/report.h"
#include "bindings/inspect/figures.h"
#include "bindings/inspect/since.h"
#include "bindings/json/json.h"
#include "bindings/json/text.h"
#include "gibbous/approvals.h"

namespace gibbous::cli {
namespace {

constexpr std::size_t kShownCommands = 5;
constexpr std::size_t kShownIds = 5;
constexpr std::size_t kMostIdBytes = 60;
constexpr std::int64_t kMillis = 1000;

constexpr const char* kHead =
    "-- What people approved, as rules. Save it as suggested.lua beside your init.lua, read each "
    "rule,\n-- and use it there: rules = require 'suggested'(require 'rules')\n"
    "local override = require 'override'\n\nreturn function(rules)\n";

std::string lua_text(std::string_view text) {
  std::string made = "'";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\'' || c == '\\') {
      made += std::string("\\") + c;
    } else if (byte < ' ' || byte == 0x7F) {
      char escape[8];
      std::snprintf(escape, sizeof(escape), "\\x%02x", byte);
      made += escape;
    } else {
      made += c;
    }
  }
  return made + "'";
}

std::string lua_list(const std::vector<std::string>& texts) {
  std::string made;
  for (const std::string& text : texts) made += (made.empty() ? "{ " : ", ") + lua_text(text);
  return made + " }";
}

std::string some_of(const std::vector<std::string>& list, std::size_t most) {
  std::string made;
  for (std::size_t at = 0; at < std::min(list.size(), most); ++at)
    made += (at == 0 ? "" : ", ") + list[at];
  return list.size() > most ? made + " ..." : made;
}

// "approved.git_push_origin", once for each suggestion.
std::string id_of(const PolicySuggestion& of, std::set<std::string>* taken) {
  std::string id = "approved.";
  for (std::size_t at = 0; at < of.words.size(); ++at) {
    if (at > 0) id += '_';
    for (const char c : of.words[at]) {
      const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
      id += plain || c == '-' ? c : '_';
    }
  }
  id.resize(std::min(id.size(), kMostIdBytes));
  std::string made = id;
  for (int number = 2; !taken->insert(made).second; ++number)
    made = id + "_" + std::to_string(number);
  return made;
}

std::string rule_text(const PolicySuggestion& of, const std::string& id) {
  std::string made = "  -- Approved " + std::to_string(of.approvals) + " times, " +
                     inspect::recent_time_text(of.first) + " to " +
                     inspect::recent_time_text(of.last);
  if (!of.who.empty()) made += ", by " + some_of(of.who, kShownIds);
  made += ".\n";
  if (!of.ids.empty()) made += "  -- Decisions: " + some_of(of.ids, kShownIds) + "\n";
  made += "  rules = override.approve(rules, {\n    id = " + lua_text(id) +
          ",\n    words = " + lua_list(of.words) + ",\n";
  if (!of.varies) {
    made += "    follows = 'nothing',\n";
  } else if (of.shortest == of.words.size()) {
    made += "    follows = 'anything',\n";
  }
  made += "    asked_by = " + lua_list(of.rules) + ",\n    match = {\n";
  for (std::size_t at = 0; at < std::min(of.commands.size(), kShownCommands); ++at)
    made += "      " + lua_text(of.commands[at]) + ",\n";
  return made + "    },\n  })\n";
}

OrderedJson json_of(const PolicySuggestion& of, const std::string& id) {
  return {{"id", id},
          {"words", of.words},
          {"exact", !of.varies},
          {"rules", of.rules},
          {"approvals", of.approvals},
          {"first", of.first},
          {"last", of.last},
          {"decisions", of.ids},
          {"who", of.who},
          {"commands", of.commands},
          {"lua", rule_text(of, id)}};
}

// The remembered answers about a command, as records of the log: a journal may be younger.
Result<std::string> remembered(const Options& options) {
  const auto approvals = list_approvals(options.runtime.state_dir);
  if (!approvals) return approvals.status();
  const auto since = inspect::parse_since_time(options.since, inspect::unix_millis());
  if (!since) return since.status();
  std::string lines;
  for (const ApprovalInfo& approval : *approvals) {
    if (approval.kind != "argv" || approval.created * kMillis < *since) continue;
    lines += to_text(OrderedJson{{"id", approval.id},
                                 {"time", approval.created * kMillis},
                                 {"effect", "start"},
                                 {"command", approval.subject},
                                 {"mode", approval.mode},
                                 {"workspace", approval.workspace},
                                 {"remembered", true},
                                 {"answer", {{"allow", true}, {"who", approval.who}}}}) +
             "\n";
  }
  return lines;
}

}  // namespace

ExitCode print_suggestions(Policy& policy, const Options& options) {
  Result<std::string> log = read_policy_log(options);
  if (!log) return fail(log.status(), options);
  if (options.log_file.empty()) {
    const Result<std::string> more = remembered(options);
    if (!more) return fail(more.status(), options);
    *log += *more;
  }
  const std::vector<PolicySuggestion> found = policy.suggest(*log, options.least);
  std::set<std::string> taken;
  if (options.json) {
    OrderedJson list = OrderedJson::array();
    for (const PolicySuggestion& each : found) list.push_back(json_of(each, id_of(each, &taken)));
    std::printf("%s\n", to_text(list).c_str());
    return ExitCode::kDone;
  }
  if (found.empty()) {
    std::fprintf(stderr,
                 "nothing was approved %zu times that a rule could allow; --least counts fewer\n",
                 options.least);
    return ExitCode::kDone;
  }
  std::string text = kHead;
  for (const PolicySuggestion& each : found) text += rule_text(each, id_of(each, &taken));
  text += "  return rules\nend\n";
  std::fputs(text.c_str(), stdout);
  return ExitCode::kDone;
}

}  // namespace gibbous::cli
