// What the reader of the tables cannot see, and no example would show. Goes on after the first
// fault, so that an author sees all.
#include "runtime/rules/check.h"

#include <map>

#include "runtime/rules/floor.h"
#include "runtime/rules/match.h"
#include "runtime/rules/quote.h"

namespace gibbous::rules {
namespace {

void check(const Rule& rule, Faults& faults) {
  const auto fault = [&](const std::string& message) { faults.add(rule, message); };
  if (rule.id == kPolicyError || rule.id.starts_with(kFloorPrefix))
    fault("its id is reserved: policy_error and doubt.*");
  if (!has_command_conditions(rule) && rule.doubts.empty())
    fault("has no condition, so it would hold for every command");
  if (rule.test_knows && rule.test < 0) fault("unknown: needs test");
  for (const Pattern& program : rule.programs) {
    if (program.text.empty()) {
      fault("program: \"\" is not a program; an unknown program is doubt unknown_program");
    } else if (!program.regex && program.text.find('/') != std::string::npos) {
      fault("program: " + quote(program.text) + " can never match, since a base name has no /");
    }
  }
  // A flag that no word can be would hold for nothing, and exclude nothing.
  std::vector<std::string> flags = rule.without_flags;
  for (const auto& each : rule.flags) flags.insert(flags.end(), each.begin(), each.end());
  for (const auto& each : rule.options)
    flags.insert(flags.end(), each.names.begin(), each.names.end());
  for (const std::string& flag : flags) {
    const bool dashes_only = flag.find_first_not_of('-') == std::string::npos;
    if (dashes_only || flag.front() != '-' || flag.find_first_of("= \t\r\n") != std::string::npos) {
      fault("flag " + quote(flag) +
            ": expected -x, --long or -long; a value is a matter of `option`");
    }
  }
  if (rule.decision != Decision::kAllow && (rule.leaves || rule.reads))
    fault("leaves and reads are for rules that allow");
  if (rule.doubts.empty() && !rule.doubt_details.empty()) fault("detail: needs doubt");
  if (rule.decision == Decision::kAllow && !rule.doubts.empty())
    fault("no rule allows what is in doubt: leave out doubt, or let it ask");
}

}  // namespace

void Faults::add(const Rule& rule, std::string_view message) {
  if (!lines_.empty()) lines_ += '\n';
  lines_ += rule.file + ":" + std::to_string(rule.line) + ": rule ";
  lines_ += rule.id;
  lines_ += ": ";
  lines_ += message;
}

Status Faults::status(const char* code) const {
  return lines_.empty() ? Status() : Status::error(code, lines_);
}

Status check_rules(const std::vector<Rule>& rules) {
  Faults faults;
  std::map<std::string_view, const Rule*> by_id;
  for (const Rule& rule : rules) {
    check(rule, faults);
    const auto [found, is_new] = by_id.emplace(rule.id, &rule);
    if (!is_new) {
      faults.add(rule, "its id is taken by the rule at " + found->second->file + ":" +
                           std::to_string(found->second->line));
    }
  }
  return faults.status("invalid_policy");
}

}  // namespace gibbous::rules
