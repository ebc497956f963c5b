#include "runtime/rules/index.h"

#include <algorithm>
#include <functional>

namespace gibbous::rules {
namespace {

using command::AccessKind;

bool accepts_empty(const std::vector<Pattern>& patterns) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [](const Pattern& pattern) { return pattern.matches(std::string_view()); });
}

std::uint32_t fact_if(bool condition, Fact fact) {
  return condition ? fact : 0U;
}

std::uint32_t wanted(const std::optional<bool>& condition, Fact yes, Fact no) {
  if (!condition) return 0;
  return *condition ? yes : no;
}

}  // namespace

bool has_computed_word(const command::SimpleCommand& command) {
  return std::any_of(command.argv.begin(), command.argv.end(),
                     [](const command::Value& word) { return !word.literal(); });
}

bool changes_something(AccessKind kind) {
  return kind != AccessKind::kRead && kind != AccessKind::kEnter && kind != AccessKind::kName;
}

Has what_it_has(const command::SimpleCommand& command, std::uint32_t doubts) {
  Has has;
  bool changes = false;
  for (const command::Access& access : command.accesses) {
    has.kinds |= bit_of(access.kind);
    has.classes |= access.classes;
    has.facts |= access.recursive ? kHasRecursive : kHasFlat;
    has.facts |= access.redirection ? kHasRedirection : kHasArgumentAccess;
    changes = changes || changes_something(access.kind);
  }
  has.doubts |= doubts;
  has.facts |=
      fact_if(!command.options.empty(), kHasOptions) |
      fact_if(command.argv.size() > 1, kHasArguments) |
      fact_if(has_computed_word(command), kHasComputed) |
      fact_if(!command.unknown_input.empty(), kHasComputedInput) |
      fact_if(!command.operands.empty(), kHasOperands) |
      fact_if(!command.subcommand.empty() || !command.operands.empty(), kHasSubcommand) |
      fact_if(!command.nesting.empty(), kHasNesting) | fact_if(!command.fed_by.empty(), kHasFedBy) |
      fact_if(!command.feeds.empty(), kHasFeeds) | fact_if(!command.hosts.empty(), kHasHosts);
  has.facts |= command.privileged ? kIsPrivileged : kIsNotPrivileged;
  has.facts |= command.remote ? kIsRemote : kIsNotRemote;
  return has;
}

Needs what_it_needs(const Rule& rule) {
  Needs needs;
  needs.all =
      fact_if(!rule.flags.empty() || !rule.options.empty(), kHasOptions) |
      fact_if(!rule.arguments.empty(), kHasArguments) |
      fact_if(!rule.operands.empty(), kHasOperands) |
      fact_if(!rule.subcommands.empty() && !accepts_empty(rule.subcommands), kHasSubcommand) |
      fact_if(!rule.within.empty(), kHasNesting) | fact_if(!rule.fed_by.empty(), kHasFedBy) |
      fact_if(!rule.feeds.empty(), kHasFeeds) |
      fact_if(!rule.hosts.empty() || !rule.not_hosts.empty(), kHasHosts) |
      fact_if(rule.computed, kHasComputed) | fact_if(rule.computed_input, kHasComputedInput) |
      wanted(rule.recursive, kHasRecursive, kHasFlat) |
      wanted(rule.redirection, kHasRedirection, kHasArgumentAccess) |
      wanted(rule.privileged, kIsPrivileged, kIsNotPrivileged) |
      wanted(rule.remote, kIsRemote, kIsNotRemote);
  if (has_access_conditions(rule)) {
    needs.kinds = rule.access.empty() ? ~kAnyKind : 0;
    for (const AccessKind kind : rule.access) needs.kinds |= bit_of(kind);
    if (rule.paths != 0) needs.classes = rule.paths;
  }
  if (!rule.doubts.empty()) needs.doubts = 0;
  for (const command::Doubt doubt : rule.doubts) needs.doubts |= bit_of(doubt);
  return needs;
}

bool has_access_conditions(const Rule& rule) {
  return !rule.access.empty() || rule.paths != 0 || rule.not_paths != 0 || rule.recursive ||
         rule.redirection;
}

bool has_command_conditions(const Rule& rule) {
  return !rule.programs.empty() || !rule.subcommands.empty() || !rule.flags.empty() ||
         !rule.without_flags.empty() || !rule.options.empty() || !rule.arguments.empty() ||
         !rule.not_arguments.empty() || !rule.operands.empty() || rule.max_operands ||
         has_access_conditions(rule) || !rule.within.empty() || !rule.fed_by.empty() ||
         !rule.feeds.empty() || !rule.hosts.empty() || !rule.not_hosts.empty() || rule.privileged ||
         rule.remote || rule.computed || rule.computed_input || rule.test >= 0;
}

bool stricter(const Rule* left, const Rule* right) {
  if (left->decision != right->decision) return left->decision > right->decision;
  if (left->shipped != right->shipped) return right->shipped;
  return std::less<>()(left, right);  // rules of a set lie in one vector
}

void GeneralRule::find_beginnings() {
  if (programs.empty()) begins.set();
  for (const Pattern& pattern : programs) {
    const bool any =
        pattern.regex || pattern.text.empty() || pattern.text[0] == '*' || pattern.text[0] == '?';
    if (any) begins.set();
    if (!any) begins.set(static_cast<unsigned char>(pattern.text[0]));
  }
}

bool GeneralRule::takes(const std::string& program, std::span<const Rule> rules) const {
  if (programs.empty()) return true;
  if (!begins[program.empty() ? 0 : static_cast<unsigned char>(program[0])]) return false;
  const auto fits = [&](const Pattern& pattern) { return pattern.matches(program); };
  if (std::none_of(programs.begin(), programs.end(), fits)) return false;
  const std::vector<Pattern>& all = rules[prepared.rule].programs;
  return std::none_of(all.begin(), all.end(), [&](const Pattern& pattern) {
    return pattern.literal() && pattern.text == program;
  });
}

Index::Index(std::span<const Rule> rules) {
  std::vector<const Rule*> ordered;
  for (const Rule& rule : rules) ordered.push_back(&rule);
  std::sort(ordered.begin(), ordered.end(), stricter);
  for (const Rule* rule : ordered) {
    const auto index = static_cast<std::uint32_t>(rule - rules.data());
    GeneralRule one{{index, what_it_needs(*rule)}, {}, {}};
    for (const Pattern& program : rule->programs) {
      if (!program.literal()) {
        one.programs.push_back(program);
        continue;
      }
      std::vector<Prepared>& of_program = by_program[program.text].rules;
      // It may name a program twice.
      if (of_program.empty() || of_program.back().rule != index) of_program.push_back(one.prepared);
    }
    if (rule->programs.empty() && !rule->arguments.empty() && listed.add(*rule))
      one.prepared.needs.all |= kHasListedArgument;
    if (rule->programs.empty() || !one.programs.empty()) {
      one.find_beginnings();
      general.push_back(std::move(one));
    }
    if (!rule->doubts.empty() && !has_command_conditions(*rule)) of_lines.push_back(index);
  }
}

}  // namespace gibbous::rules
