#include "bindings/cli/policy_text.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <tuple>
#include <utility>

#include "bindings/json/member.h"

namespace gibbous::cli {
namespace {

constexpr std::size_t kMaxUncovered = 20;
constexpr std::size_t kMaxChanges = 40;
constexpr std::size_t kMaxMisses = 12;  // shown rules that did not match a command

int strictness(const std::string& decision) {
  return decision == "allow" ? 0 : decision == "ask" ? 1 : 2;
}

std::string place(const Json& value) {
  const std::string file = text_member(value, "file");
  return file.empty() ? "" : file + ":" + std::to_string(value.value("line", 0));
}

std::string words(const Json& list) {
  std::string all;
  for (const Json& word : list) {
    if (word.is_string()) all += (all.empty() ? "" : " ") + word.get<std::string>();
  }
  return all;
}

std::string labelled(const char* label, const std::string& value) {
  return value.empty() ? "" : "    " + std::string(label) + ": " + value + "\n";
}

// Shows one command as it was understood.
std::string command_text(const Json& command, std::size_t number, const Terminal& terminal) {
  std::string made = "  " + std::to_string(number + 1) + ". " +
                     terminal.paint(Colour::kBold, words(command.value("argv", Json::array()))) +
                     "\n";
  made += labelled("in", words(command.value("within", Json::array())));
  made += labelled("behind", words(command.value("wrappers", Json::array())));
  made += labelled("reads the output of", words(command.value("fed_by", Json::array())));
  for (const Json& access : command.value("accesses", Json::array())) {
    made += "    " + text_member(access, "access") + "s " +
            (text_member(access, "path").empty() ? text_member(access, "written")
                                                 : text_member(access, "path")) +
            (access.value("recursive", false) ? ", with all below" : "") + " (" +
            words(access.value("classes", Json::array())) + ")\n";
  }
  for (const Json& set : command.value("assignments", Json::array()))
    made += "    sets " + text_member(set, "name") + "=" + text_member(set, "value") + "\n";
  made += labelled("hosts", words(command.value("hosts", Json::array())));
  return made;
}

std::string steps_of(const Json& steps, int command, const Terminal& terminal) {
  std::string made;
  std::size_t misses = 0;
  std::size_t more = 0;
  for (const Json& step : steps) {
    if (step.value("command", -1) != command) continue;
    const bool matched = step.value("matched", false);
    const std::string decision = text_member(step, "decision");
    // Why nothing allows it is what most people ask; few allow rules are about one program.
    if (!matched && decision != "allow" && ++misses > kMaxMisses) {
      ++more;
      continue;
    }
    made += matched ? "    " + terminal.paint(colour_of_decision(decision), decision) + " " +
                          text_member(step, "rule") + ": " + text_member(step, "why") + "  " +
                          terminal.paint(Colour::kDim, place(step)) + "\n"
                    : terminal.paint(Colour::kDim, "    -    " + text_member(step, "rule") + ": " +
                                                       text_member(step, "why")) +
                          "\n";
  }
  if (more > 0)
    made += terminal.paint(Colour::kDim,
                           "    and " + std::to_string(more) + " more rules that do not match") +
            "\n";
  return made;
}

}  // namespace

Colour colour_of_decision(const std::string& decision) {
  if (decision == "allow") return Colour::kGreen;
  return decision == "ask" ? Colour::kYellow : Colour::kRed;
}

std::string verdict_text(const Json& answer, const Terminal& terminal) {
  if (answer.contains("error")) return "error: " + text_member(answer["error"], "message") + "\n";
  const std::string decision = text_member(answer, "decision");
  std::string made =
      terminal.paint(colour_of_decision(decision), decision) + "  " + text_member(answer, "rule");
  if (!place(answer).empty()) made += "  " + terminal.paint(Colour::kDim, place(answer));
  if (const std::string sandbox = text_member(answer, "sandbox"); !sandbox.empty()) {
    made += ", in the sandbox " + terminal.paint(Colour::kBold, sandbox);
  }
  made += "\n";
  if (!text_member(answer, "reason").empty()) made += text_member(answer, "reason") + "\n";
  return made;
}

std::string explanation_text(const Json& answer, const Terminal& terminal) {
  if (answer.contains("error")) return verdict_text(answer, terminal);
  std::string made = "command: " + text_member(answer, "command") + "\n" +
                     "mode: " + text_member(answer, "mode") + ", policy " +
                     text_member(answer, "policy") + "\n\n";
  const Json facts = answer.value("facts", Json::object());
  const Json steps = answer.value("steps", Json::array());
  const Json commands = facts.value("commands", Json::array());
  made += commands.empty() ? "No command was recognised.\n" : "It would run:\n";
  for (std::size_t at = 0; at < commands.size(); ++at) {
    made += command_text(commands[at], at, terminal);
    made += steps_of(steps, static_cast<int>(at), terminal);
  }
  const Json doubts = facts.value("doubts", Json::array());
  if (!doubts.empty()) made += "Unknown until it runs:\n";
  for (const Json& doubt : doubts)
    made += "  " + text_member(doubt, "doubt") + ": " + text_member(doubt, "detail") + "\n";
  made += steps_of(steps, -1, terminal);
  return made + "\n" + verdict_text(answer, terminal);
}

std::string note_text(const std::string& note, const Terminal& terminal) {
  return terminal.paint(Colour::kYellow, "note") + "  " + note + "\n";
}

std::string report_text(const PolicyReport& report, double threshold, const Terminal& terminal) {
  std::string made;
  for (const std::string& failure : report.failures)
    made += terminal.paint(Colour::kRed, "FAIL") + "  " + failure + "\n";
  if (!report.uncovered.empty()) made += "Rules without a case:\n";
  for (std::size_t at = 0; at < report.uncovered.size(); ++at) {
    if (at == kMaxUncovered) {
      made += "  and " + std::to_string(report.uncovered.size() - at) + " more\n";
      break;
    }
    made += "  " + report.uncovered[at] + "\n";
  }
  char summary[200];
  const double percent = report.coverage * 100;
  const bool some_ship = report.own_rules != report.rules;
  const std::string rules = some_ship
                                ? std::to_string(report.own_rules) + " rules of your own and " +
                                      std::to_string(report.rules - report.own_rules) + " that ship"
                                : std::to_string(report.rules) + " rules";
  std::snprintf(summary, sizeof(summary), "%s, %zu examples, %zu cases: %s; ", rules.c_str(),
                report.examples, report.cases, report.ok ? "all as expected" : "some fail");
  made += summary;
  std::snprintf(summary, sizeof(summary), "the cases cover %.1f %% of %s", percent,
                some_ship ? "your rules" : "the rules");
  made += summary;
  if (percent < threshold) {
    std::snprintf(summary, sizeof(summary), ", expected %.1f %%", threshold);
    made += summary;
  }
  const bool good = report.ok && percent >= threshold;
  return made + "\n" +
         terminal.paint(good ? Colour::kGreen : Colour::kRed, good ? "ok" : "failed") + "\n";
}

std::vector<RuleChange> changes_by_rule(const std::vector<PolicyChange>& changes) {
  std::map<std::tuple<std::string, std::string, std::string>, RuleChange> groups;
  for (const PolicyChange& change : changes) {
    // The rule that speaks: the new one where it got stricter, else the one that is gone.
    const bool stricter = strictness(change.after) > strictness(change.before);
    const std::string& rule = stricter ? change.after_rule : change.before_rule;
    RuleChange& group = groups[{rule, change.before, change.after}];
    if (group.count++ > 0) continue;
    group.rule = rule;
    group.before = change.before;
    group.after = change.after;
    group.example = change.command;
  }
  std::vector<RuleChange> list;
  for (auto& [key, group] : groups) list.push_back(std::move(group));
  std::stable_sort(list.begin(), list.end(), [](const RuleChange& left, const RuleChange& right) {
    return left.count > right.count;
  });
  return list;
}

std::string changes_text(const std::vector<PolicyChange>& changes, std::size_t read,
                         const Terminal& terminal) {
  std::string made;
  const auto arrow = [&terminal](const std::string& before, const std::string& after) {
    return terminal.paint(colour_of_decision(before), before) + " -> " +
           terminal.paint(colour_of_decision(after), after);
  };
  for (std::size_t at = 0; at < std::min(changes.size(), kMaxChanges); ++at) {
    const PolicyChange& change = changes[at];
    made += arrow(change.before, change.after) + "  " + change.command + "\n";
    made += terminal.paint(Colour::kDim, "    " + change.before_rule + " -> " + change.after_rule +
                                             (change.mode.empty() ? "" : ", mode " + change.mode) +
                                             ", record " + std::to_string(change.record)) +
            "\n";
  }
  if (changes.size() > kMaxChanges) {
    made += "and " + std::to_string(changes.size() - kMaxChanges) +
            " more changes; --json lists them all\n";
  }
  const std::vector<RuleChange> groups = changes_by_rule(changes);
  if (!groups.empty()) made += "By rule:\n";
  for (std::size_t at = 0; at < std::min(groups.size(), kMaxUncovered); ++at) {
    const RuleChange& group = groups[at];
    made += "  " + std::to_string(group.count) + "  " + group.rule + "  " +
            arrow(group.before, group.after) + "  " + terminal.paint(Colour::kDim, group.example) +
            "\n";
  }
  if (groups.size() > kMaxUncovered)
    made += "  and " + std::to_string(groups.size() - kMaxUncovered) + " more\n";
  return made + std::to_string(changes.size()) + " of " + std::to_string(read) +
         " verdicts change\n";
}

}  // namespace gibbous::cli
