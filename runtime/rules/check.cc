// One function for each kind of fault; each goes on after the first fault, so that an author sees
// all.
#include "runtime/rules/check.h"

#include <algorithm>
#include <map>

#include "runtime/rules/floor.h"
#include "runtime/rules/index.h"
#include "runtime/rules/quote.h"

namespace gibbous::rules {
namespace {

using command::AccessKind;

constexpr std::size_t kMaxIdBytes = 100;
constexpr std::string_view kSpaces = " \t\r\n";
constexpr std::string_view kIdCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";

bool is_blank(std::string_view text) {
  return text.find_first_not_of(kSpaces) == std::string_view::npos;
}

bool contains(const std::vector<std::string>& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

bool contains_text(const std::vector<Pattern>& patterns, const std::string& text) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const Pattern& pattern) { return pattern.text == text; });
}

class Checker {
 public:
  Checker(const command::Knowledge& knowledge, const Rule& rule, Faults& faults)
      : knowledge_(knowledge), rule_(rule), faults_(faults) {}

  void check() {
    check_id();
    check_decision();
    check_programs();
    check_flags();
    check_options();
    check_words();
    check_accesses();
    check_doubts();
    check_examples();
  }

 private:
  void fault(std::string_view message) { faults_.add(rule_, message); }

  void check_id();
  void check_decision();
  void check_programs();
  void check_flags();
  void check_flag(const std::string& flag);
  void check_options();
  void check_words();
  void check_accesses();
  void check_doubts();
  void check_examples();
  void check_example(const Example& example, const char* list);

  const command::Knowledge& knowledge_;
  const Rule& rule_;
  Faults& faults_;
};

void Checker::check_id() {
  if (rule_.id.empty()) {
    fault("has no id");
  } else if (rule_.id.size() > kMaxIdBytes) {
    fault("its id is longer than " + std::to_string(kMaxIdBytes) + " bytes");
  } else if (rule_.id.find_first_not_of(kIdCharacters) != std::string::npos) {
    fault("an id is made of letters, digits, _ . and -");
  } else if (rule_.id == kPolicyError ||
             rule_.id.compare(0, kFloorPrefix.size(), kFloorPrefix) == 0) {
    fault("its id is reserved: policy_error and doubt.*");
  }
}

void Checker::check_decision() {
  if (!has_command_conditions(rule_) && rule_.doubts.empty()) {
    fault("has no condition, so it would hold for every command");
  }
  if (rule_.test_knows && rule_.test < 0) fault("unknown: needs test");
  if (rule_.decision != Decision::kAllow && is_blank(rule_.reason)) {
    fault("needs a reason: a sentence for a person that names the alternative");
  }
}

void Checker::check_programs() {
  for (const Pattern& program : rule_.programs) {
    if (program.text.empty()) {
      fault("program: \"\" is not a program; an unknown program is doubt unknown_program");
    } else if (!program.regex && program.text.find('/') != std::string::npos) {
      fault("program: " + quote(program.text) + " can never match, since a base name has no /");
    }
  }
}

void Checker::check_flag(const std::string& flag) {
  const bool dashes_only = flag.find_first_not_of('-') == std::string::npos;
  if (dashes_only || flag.front() != '-') {
    fault("flag " + quote(flag) + ": expected -x, --long or -long");
  } else if (flag.find_first_of(kSpaces) != std::string::npos) {
    fault("flag " + quote(flag) + " holds a space");
  } else if (flag.find('=') != std::string::npos) {
    fault("flag " + quote(flag) + ": leave out the =; its value is a matter of `option`");
  }
}

void Checker::check_flags() {
  for (const std::vector<std::string>& alternatives : rule_.flags) {
    if (alternatives.empty()) fault("flags: an empty set of alternatives can never match");
    for (const std::string& flag : alternatives) {
      check_flag(flag);
      if (contains(rule_.without_flags, flag)) {
        fault("flag " + quote(flag) + " is wanted and excluded at once");
      }
    }
  }
  for (const std::string& flag : rule_.without_flags) check_flag(flag);
}

void Checker::check_options() {
  for (const OptionCondition& wanted : rule_.options) {
    if (wanted.names.empty()) fault("option: a set of values without an option");
    for (const std::string& name : wanted.names) {
      check_flag(name);
      if (contains(rule_.without_flags, name)) {
        fault("option " + quote(name) + " is wanted and excluded at once");
      }
    }
    if (wanted.values.empty()) {
      fault("option " + quote(wanted.names.empty() ? "" : wanted.names.front()) +
            ": needs a value that matches; that it is there at all is `flags`");
    }
  }
}

void Checker::check_words() {
  for (const Pattern& pattern : rule_.arguments) {
    if (contains_text(rule_.not_arguments, pattern.text)) {
      fault("argument " + quote(pattern.text) + " is wanted and excluded at once");
    }
  }
  for (const Pattern& pattern : rule_.hosts) {
    if (contains_text(rule_.not_hosts, pattern.text)) {
      fault("host " + quote(pattern.text) + " is wanted and excluded at once");
    }
  }
  if (!rule_.max_operands) return;
  if (*rule_.max_operands < 0) fault("max_operands: expected 0 or more");
  if (*rule_.max_operands == 0 && !rule_.operands.empty()) {
    fault("wants an operand, but max_operands is 0");
  }
}

void Checker::check_accesses() {
  const auto unknown_bits = [&](command::PathClasses bits) {
    const std::size_t known = command::kFirstOwnClass + knowledge_.classes.size();
    return known < 32 && (bits >> known) != 0;
  };
  if (unknown_bits(rule_.paths)) fault("path: names a class that does not exist");
  if (unknown_bits(rule_.not_paths)) fault("not_path: names a class that does not exist");
  if (rule_.paths != 0 && (rule_.paths & ~rule_.not_paths) == 0) {
    fault("not_path excludes all that path names");
  }
}

void Checker::check_doubts() {
  if ((rule_.leaves || rule_.reads) && rule_.decision != Decision::kAllow) {
    fault("leaves and reads are for rules that allow");
  }
  if (rule_.doubts.empty()) {
    if (!rule_.doubt_details.empty()) fault("detail: needs doubt");
    return;
  }
  if (rule_.decision == Decision::kAllow) {
    fault("no rule allows what is in doubt: leave out doubt, or let it ask");
  }
}

void Checker::check_example(const Example& example, const char* list) {
  if (example.command.empty() == example.argv.empty()) {
    fault(std::string(list) + ": an example is either a command or an argv");
  }
  if (!example.cwd.empty() && example.cwd.front() != '/') {
    fault(std::string(list) + ": cwd " + quote(example.cwd) + " is not absolute");
  }
}

void Checker::check_examples() {
  if (rule_.match.empty()) fault("needs an example of what it matches, under match");
  for (const Example& example : rule_.match) check_example(example, "match");
  for (const Example& example : rule_.not_match) check_example(example, "not_match");
}

}  // namespace

void Faults::add(const Rule& rule, std::string_view message) {
  if (!lines_.empty()) lines_ += '\n';
  lines_ += rule.file + ":" + std::to_string(rule.line) + ": rule ";
  const bool plain = rule.id.size() <= kMaxIdBytes &&
                     rule.id.find_first_not_of(kIdCharacters) == std::string::npos &&
                     !rule.id.empty();
  lines_ += plain ? rule.id : quote(rule.id);
  lines_ += ": ";
  lines_ += message;
}

Status Faults::status(const char* code) const {
  return lines_.empty() ? Status() : Status::error(code, lines_);
}

Status check_rules(const std::vector<Rule>& rules, const command::Knowledge& knowledge) {
  Faults faults;
  std::map<std::string_view, const Rule*> by_id;
  for (const Rule& rule : rules) {
    Checker(knowledge, rule, faults).check();
    const auto [found, is_new] = by_id.emplace(rule.id, &rule);
    if (!is_new && !rule.id.empty()) {
      faults.add(rule, "its id is taken by the rule at " + found->second->file + ":" +
                           std::to_string(found->second->line));
    }
  }
  return faults.status("invalid_policy");
}

}  // namespace gibbous::rules
