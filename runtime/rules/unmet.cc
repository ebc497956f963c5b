// Tries the parts of a rule, one after the other: a command is made for each, and analysed like any
// other. A part that nothing in it meets is one that the analyser never shows to rules.
#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "runtime/base/nearest.h"
#include "runtime/command/analyse.h"
#include "runtime/command/path_map.h"
#include "runtime/rules/index.h"
#include "runtime/rules/options.h"
#include "runtime/rules/quote.h"
#include "runtime/rules/rules.h"

namespace gibbous::rules {
namespace {

using command::AccessKind;
using command::Facts;
using command::Nesting;
using command::ProgramSpec;
using command::SimpleCommand;

constexpr char kWorkspace[] = "/workspace";
constexpr char kHome[] = "/home/user";
constexpr std::string_view kAnyProgram = "some-program";
constexpr std::string_view kAnyWord = "word";
constexpr std::size_t kMostTries = 20;  // of the alternatives of one condition

constexpr std::string_view kPlain =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=@%+,-";

bool is_plain(std::string_view text, std::string_view besides = "") {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return kPlain.find(c) != std::string_view::npos || besides.find(c) != std::string_view::npos;
  });
}

// A word as a person writes it on a command line: what a shell expands is expanded.
std::string typed(const std::string& word) {
  if (!word.empty() && is_plain(word, "~${}[]!")) return word;
  std::string made = "'";
  for (const char c : word) made += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return made + "'";
}

// A text that a glob matches.
std::string sample(const Pattern& pattern) {
  std::string made = pattern.text;
  std::replace(made.begin(), made.end(), '*', 'x');
  std::replace(made.begin(), made.end(), '?', 'x');
  return made;
}

template <typename Texts>
bool some_match(const Pattern& pattern, const Texts& texts) {
  return std::any_of(texts.begin(), texts.end(), [&](const std::string& text) {
    return pattern.matches(std::string_view(text));
  });
}

class Trial {
 public:
  Trial(const RuleSet& rules, const Rule& rule, std::shared_ptr<const command::PathMap> map)
      : knowledge_(rules.knowledge()), rule_(rule) {
    place_.workspace = kWorkspace;
    place_.cwd = kWorkspace;
    place_.home = kHome;
    place_.map = map != nullptr ? std::move(map) : command::PathMap::create(knowledge_, place_);
    for (const Example& example : rule.match)
      shown_.push_back(judge_example(rules, example, {}, nullptr, place_.map).facts);
  }

  std::vector<std::string> run() {
    try_programs();
    try_subcommands();
    try_flags();
    try_options();
    try_words();
    try_accesses();
    try_names();
    return std::move(messages_);
  }

 private:
  using Met = std::function<bool(const SimpleCommand&)>;

  void note(const std::string& message) { messages_.push_back(message); }
  Facts of_line(const std::string& line) const {
    return command::analyse(std::string_view(line), place_, knowledge_);
  }
  Facts of_words(const std::vector<std::string>& words) const {
    return command::analyse(words, place_, knowledge_);
  }
  bool has(const Facts& facts, const Met& met) const {
    const bool carried = rule_.decision != Decision::kAllow &&
                         std::any_of(facts.carriers.begin(), facts.carriers.end(), met);
    return carried || std::any_of(facts.commands.begin(), facts.commands.end(), met);
  }
  // An example of the rule is better knowledge than a trial.
  bool is_shown(const Met& met) const {
    return std::any_of(shown_.begin(), shown_.end(),
                       [&](const Facts& facts) { return has(facts, met); });
  }
  // The programs of the rule that have a name, or one that has no table.
  std::vector<std::string> programs() const;
  bool runs_commands(const std::string& program) const;
  // Whether an example shows one of the rule's programs that run others by itself: its author knows
  // the difference.
  bool means_wrappers_alone() const {
    return is_shown([&](const SimpleCommand& command) {
      const ProgramSpec* spec = knowledge_.find(command.program);
      return spec != nullptr && !spec->runs.empty() &&
             std::any_of(rule_.programs.begin(), rule_.programs.end(), [&](const Pattern& each) {
               return each.matches(std::string_view(command.program));
             });
    });
  }

  void try_programs();
  void try_program(const Pattern& pattern);
  void try_subcommands();
  void try_flags();
  void try_flag(const std::string& flag);
  void try_options();
  void try_words();
  void try_word(const char* condition, const Pattern& pattern, bool is_operand);
  void try_accesses();
  void try_names();
  void try_base_names(const char* condition, const std::vector<Pattern>& patterns);

  const command::Knowledge& knowledge_;
  const Rule& rule_;
  command::Place place_;
  std::vector<Facts> shown_;  // the examples
  std::vector<std::string> messages_;
};

std::vector<std::string> Trial::programs() const {
  std::vector<std::string> names;
  for (const Pattern& pattern : rule_.programs)
    if (pattern.literal() && names.size() < kMostTries) names.push_back(pattern.text);
  // A pattern may be about a program that has a table.
  if (names.empty()) names.emplace_back(kAnyProgram);
  return names;
}

bool Trial::runs_commands(const std::string& program) const {
  const ProgramSpec* spec = knowledge_.find(program);
  if (spec == nullptr) return false;
  return !spec->runs.empty() ||
         std::any_of(spec->subcommands.begin(), spec->subcommands.end(),
                     [](const auto& each) { return !each.second->runs.empty(); });
}

void Trial::try_programs() {
  for (const Pattern& pattern : rule_.programs) try_program(pattern);
}

void Trial::try_program(const Pattern& pattern) {
  const auto met = [&](const SimpleCommand& command) {
    return pattern.matches(std::string_view(command.program));
  };
  if (is_shown(met)) return;
  if (pattern.regex) {
    const std::string begin = pattern.prefix();
    if (begin.find_first_of("/ ") != std::string::npos) {
      note("program: " + quote(pattern.text) + " is about the name alone, which has no " +
           (begin.find('/') != std::string::npos ? "/" : "space; what follows it is `subcommand`"));
    }
    return;
  }
  if (!pattern.literal()) return;
  const std::string& name = pattern.text;
  const std::string word(kAnyWord);
  if (has(of_line(typed(name) + " " + word + " " + word + " " + word), met)) {
    const Pattern* before = &pattern == rule_.programs.data() ? nullptr : &pattern - 1;
    if (before == nullptr || !before->literal() || knowledge_.find(name) != nullptr) return;
    // 'git push' are two programs.
    const ProgramSpec* spec = knowledge_.find(before->text);
    if (spec == nullptr || spec->subcommands.count(name) == 0) return;
    return note("program: " + quote(name) + " is a subcommand of " + before->text +
                ", not a program: subcommand = { '" + name + "' }");
  }
  if (runs_commands(name)) {
    if (means_wrappers_alone()) return;
    const bool wraps = has(of_words({name, word, word, word}), [&](const SimpleCommand& command) {
      return std::find(command.wrappers.begin(), command.wrappers.end(), name) !=
             command.wrappers.end();
    });
    return note("program: " + name + " runs another command, and rules judge that one: " +
                (wraps ? "wrapper" : "within") + " = { '" + name + "' } is about what it runs");
  }
  note("program: " + quote(name) +
       " is never a command of its own for rules: it is a word of the "
       "shell, or belongs to the command behind it");
}

void Trial::try_subcommands() {
  for (const Pattern& pattern : rule_.subcommands) {
    if (pattern.matches(std::string_view())) return;
  }
  if (rule_.subcommands.empty()) return;
  const auto met = [&](const ProgramSpec& spec) {
    return std::any_of(rule_.subcommands.begin(), rule_.subcommands.end(),
                       [&](const Pattern& each) {
                         return std::any_of(spec.subcommands.begin(), spec.subcommands.end(),
                                            [&](const auto& known) {
                                              return each.matches(std::string_view(known.first)) ||
                                                     known.first.starts_with(each.text + " ");
                                            });
                       });
  };
  const auto list = [&] {
    std::string all;
    for (const Pattern& each : rule_.subcommands) all += (all.empty() ? "" : " ") + each.text;
    return all;
  };
  if (rule_.programs.empty()) {
    const auto& all = knowledge_.programs.whole();
    if (std::any_of(all.begin(), all.end(), [&](const auto& each) { return met(*each.second); }))
      return;
    return note("subcommand: no program has a table for " + quote(list()));
  }
  std::string idle;
  for (const Pattern& program : rule_.programs) {
    const ProgramSpec* spec = program.literal() ? knowledge_.find(program.text) : nullptr;
    if (!program.literal() || (spec != nullptr && met(*spec))) continue;
    idle += (idle.empty() ? "" : " ") + program.text;
  }
  if (idle.empty()) return;
  note("subcommand: no table says that " + quote(idle) + " has " + quote(list()) +
       ", so that the rule never holds for it: use `operand` there, or add it to the knowledge");
}

void Trial::try_flags() {
  for (const std::vector<std::string>& alternatives : rule_.flags) {
    for (const std::string& flag : alternatives) try_flag(flag);
  }
}

// A cluster, -rf, is only found as it is written, unless the rule names its letters one by one.
void Trial::try_flag(const std::string& flag) {
  if (flag.size() < 3 || flag[1] == '-') return;
  for (const std::string& program : programs()) {
    const ProgramSpec* spec = knowledge_.find(program);
    if (spec == nullptr || spec->single_dash_long || runs_commands(program)) return;
    std::vector<std::string> words = {program};
    for (const char letter : flag.substr(1)) words.push_back(std::string("-") + letter);
    if (has(of_words(words),
            [&](const SimpleCommand& command) { return has_flag(command, spec, flag); })) {
      return;
    }
  }
  std::string apart;
  for (const char letter : flag.substr(1))
    apart += (apart.empty() ? "'-" : ", '-") + std::string(1, letter) + "'";
  note("flags: " + quote(flag) + " holds only where it is written so: flags = { " + apart +
       " } sees all spellings");
}

void Trial::try_options() {
  for (const OptionCondition& wanted : rule_.options) {
    if (wanted.names.empty()) continue;
    for (const Pattern& value : wanted.values) {
      if (value.regex || value.text.empty()) continue;
      bool found = false;
      std::string seen;
      for (const std::string& program : programs()) {
        const ProgramSpec* spec = knowledge_.find(program);
        const auto met = [&](const SimpleCommand& command) {
          const std::vector<OptionUse> uses = option_uses(command, spec, wanted.names);
          return std::any_of(uses.begin(), uses.end(), [&](const OptionUse& use) {
            if (use.has_value) seen = use.value.text;
            return use.has_value && value.may_match(use.value);
          });
        };
        found =
            found || is_shown(met) || runs_commands(program) ||
            has(of_line(program + " " + wanted.names.front() + " " + typed(sample(value))), met);
      }
      if (found || seen.empty()) continue;
      note("option: rules see " + quote(seen) + " where a person writes " + quote(sample(value)) +
           ": match what the shell makes of it, or use `access` with `path`");
    }
  }
}

void Trial::try_words() {
  for (const Pattern& pattern : rule_.arguments) try_word("argument", pattern, false);
  for (const Pattern& pattern : rule_.operands) try_word("operand", pattern, true);
}

void Trial::try_word(const char* condition, const Pattern& pattern, bool is_operand) {
  const auto met = [&](const SimpleCommand& command) {
    if (!is_operand) {
      return std::any_of(command.argv.begin() + (command.argv.empty() ? 0 : 1), command.argv.end(),
                         [&](const command::Value& word) { return pattern.may_match(word); });
    }
    return std::any_of(command.operands.begin(), command.operands.end(), [&](int index) {
      const command::Value* word = word_at(command, index);
      return word != nullptr && pattern.may_match(*word);
    });
  };
  if (is_shown(met)) return;
  const std::string begin = pattern.regex ? pattern.prefix() : sample(pattern);
  const std::string name = std::string(condition) + ": " + quote(pattern.text);
  if (begin.empty()) return;
  const bool has_space = begin.find(' ') != std::string::npos;
  if (has_space && (pattern.regex || pattern.literal())) {
    return note(name +
                " is about one word, and holds only for one with a space in it: give each "
                "word a pattern of its own");
  }
  if (is_operand && begin.size() > 1 && begin.front() == '-') {
    const bool is_number = begin.find_first_not_of("0123456789", 1) == std::string::npos;
    if (is_number) return;
    return note(name + " is an option, and no operand: use `flags`, or `option` for its value");
  }
  if (pattern.regex && begin.front() != '~' && begin.front() != '$') return;
  std::string seen;
  for (const std::string& program : programs()) {
    const Facts facts = of_line(program + " " + typed(begin));
    if (has(facts, met)) return;
    for (const SimpleCommand& command : facts.commands) {
      if (command.program != program) continue;
      if (command.subcommand == begin) {
        return note(name + " is a subcommand of " + program + ", and no operand: subcommand = { '" +
                    begin + "' }");
      }
      if (command.argv.size() > 1) seen = command.argv[1].text;
    }
  }
  if (seen.empty() || seen == begin) return;
  note(name + ": rules see " + quote(seen) + " where a person writes " + quote(begin) +
       ": match that, or use `access` with `path`");
}

// Which programs remove something, or change permissions, only tables say.
void Trial::try_accesses() {
  if (rule_.access.empty() || rule_.programs.empty()) return;
  const auto only_of_tables = [&](AccessKind kind) {
    const bool redirected = !rule_.redirection || *rule_.redirection;
    return kind == AccessKind::kRemove || kind == AccessKind::kPermission ||
           (kind == AccessKind::kWrite && !redirected);
  };
  if (!std::all_of(rule_.access.begin(), rule_.access.end(), only_of_tables)) return;
  const auto met = [&](const std::vector<command::AccessSpec>& accesses) {
    return std::any_of(accesses.begin(), accesses.end(), [&](const command::AccessSpec& each) {
      return std::find(rule_.access.begin(), rule_.access.end(), each.kind) != rule_.access.end();
    });
  };
  for (const Pattern& program : rule_.programs) {
    if (!program.literal() || runs_commands(program.text)) continue;
    const ProgramSpec* spec = knowledge_.find(program.text);
    bool found = is_shown([&](const SimpleCommand& command) {
      return command.program == program.text &&
             std::any_of(command.accesses.begin(), command.accesses.end(), [&](const auto& each) {
               return std::find(rule_.access.begin(), rule_.access.end(), each.kind) !=
                      rule_.access.end();
             });
    });
    if (spec != nullptr) {
      found = found || met(spec->accesses);
      for (const auto& [name, sub] : spec->subcommands) found = found || met(sub->accesses);
    }
    if (found) continue;
    note("access: no table says that " + program.text + " does this to a path, so that the rule " +
         "never holds for it: add it to the knowledge, or leave out `access`");
  }
}

void Trial::try_base_names(const char* condition, const std::vector<Pattern>& patterns) {
  for (const Pattern& pattern : patterns) {
    if (pattern.prefix().find('/') == std::string::npos) continue;
    note(std::string(condition) + ": " + quote(pattern.text) +
         " is about the name alone, which has " + "no /");
  }
}

void Trial::try_names() {
  for (const Pattern& pattern : rule_.wrappers) {
    if (!pattern.literal()) continue;
    const auto met = [&](const SimpleCommand& command) {
      return some_match(pattern, command.wrappers);
    };
    const std::string word(kAnyWord);
    if (is_shown(met) || has(of_words({pattern.text, word, word, word}), met)) continue;
    if (!runs_commands(pattern.text)) {
      note("wrapper: no table says that " + quote(pattern.text) +
           " runs another command: " + "program is about itself");
    }
  }
  for (const Pattern& pattern : rule_.within) {
    std::vector<std::string> kinds;
    for (int kind = 0; kind <= static_cast<int>(Nesting::Kind::kCoproc); ++kind)
      kinds.emplace_back(name_of(static_cast<Nesting::Kind>(kind)));
    if (!pattern.literal() || some_match(pattern, kinds)) continue;
    // Any program may be one that runs what its words name.
    const std::string near = nearest_name(pattern.text, kinds);
    if (near.empty() || knowledge_.find(pattern.text) != nullptr) continue;
    note("within: " + quote(pattern.text) + " is no program that is known, and no kind of nesting" +
         did_you_mean(near, '"'));
  }
  try_base_names("fed_by", rule_.fed_by);
  try_base_names("feeds", rule_.feeds);
  for (const std::vector<Pattern>* hosts : {&rule_.hosts, &rule_.not_hosts}) {
    for (const Pattern& pattern : *hosts) {
      const std::string begin = pattern.prefix();
      const bool has_port =
          !begin.starts_with('[') && std::count(begin.begin(), begin.end(), ':') == 1;
      if (begin.find('/') == std::string::npos && !has_port) continue;
      note("host: " + quote(pattern.text) +
           " is about the name alone, without scheme, port and path");
    }
  }
  for (const Pattern& pattern : rule_.variables) {
    if (pattern.prefix().find_first_of("$= ") == std::string::npos) continue;
    note("variable: " + quote(pattern.text) + " is about the name alone, without $ and =");
  }
}

}  // namespace

std::vector<std::string> find_unmet(const RuleSet& rules, const Rule& rule,
                                    std::shared_ptr<const command::PathMap> map) {
  return Trial(rules, rule, std::move(map)).run();
}

}  // namespace gibbous::rules
