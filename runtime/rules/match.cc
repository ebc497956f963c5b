// One function for each group of conditions, cheap ones first. The first condition that fails ends
// the match; `why` collects what held, for traces.
#include "runtime/rules/match.h"

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "runtime/rules/options.h"
#include "runtime/rules/quote.h"

namespace gibbous::rules {

namespace {

bool has_access_conditions(const Rule& rule) {
  return !rule.access.empty() || rule.paths != 0 || rule.not_paths != 0 || rule.recursive ||
         rule.redirection;
}

}  // namespace

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

bool changes_something(command::AccessKind kind) {
  using command::AccessKind;
  return kind != AccessKind::kRead && kind != AccessKind::kEnter && kind != AccessKind::kName;
}

bool access_holds(const Rule& rule, const command::Access& access) {
  if (rule.paths != 0 && (access.classes & rule.paths) == 0) return false;
  if ((access.own & rule.not_paths) != 0) return false;
  if (rule.recursive && *rule.recursive != access.recursive) return false;
  if (rule.redirection && *rule.redirection != access.redirection) return false;
  return rule.access.empty() ||
         std::find(rule.access.begin(), rule.access.end(), access.kind) != rule.access.end();
}

namespace {

constexpr std::size_t kSubcommandWords = 2;  // as operands

using command::Access;
using command::AccessKind;
using command::SimpleCommand;
using command::Value;

// Collects the sentence about a match, if it is wanted.
class Why {
 public:
  explicit Why(std::string* text) : text_(text) {
    if (text_ != nullptr) text_->clear();
  }

  bool wanted() const { return text_ != nullptr; }
  bool no(std::initializer_list<std::string_view> parts) {
    if (text_ == nullptr) return false;
    text_->clear();
    for (const std::string_view part : parts) *text_ += part;
    return false;
  }
  bool yes(std::initializer_list<std::string_view> parts) {
    if (text_ == nullptr) return true;
    if (!text_->empty()) *text_ += ", ";
    for (const std::string_view part : parts) *text_ += part;
    return true;
  }

 private:
  std::string* text_;
};

template <typename Names>
std::string joined(const Names& names) {
  std::string all;
  for (const auto& name : names) {
    if (!all.empty()) all += ' ';
    if constexpr (std::is_same_v<std::decay_t<decltype(name)>, Pattern>) {
      all += name.text;
    } else {
      all += name;
    }
  }
  return all;
}

template <typename Text>
const Pattern* find_match(const std::vector<Pattern>& patterns, const Text& text) {
  for (const Pattern& pattern : patterns)
    if (pattern.matches(text)) return &pattern;
  return nullptr;
}

// A condition on a single text; `what` is "program", for instance.
bool text_matches(const std::vector<Pattern>& patterns, const std::string& text,
                  std::string_view what, Why& why) {
  if (patterns.empty()) return true;
  const bool found = find_match(patterns, std::string_view(text)) != nullptr;
  if (!why.wanted()) return found;
  return found ? why.yes({what, " ", quote(text)})
               : why.no({what, " ", quote(text), " is none of ", joined(patterns)});
}

// Returns true if one of the texts matches one of the patterns.
bool some_text_matches(const std::vector<Pattern>& patterns, const std::vector<std::string>& texts,
                       std::string_view what, Why& why) {
  if (patterns.empty()) return true;
  for (const std::string& text : texts) {
    if (find_match(patterns, std::string_view(text)) == nullptr) continue;
    if (why.wanted()) why.yes({what, " ", quote(text)});
    return true;
  }
  return why.wanted() && why.no({"no ", what, " ", joined(patterns)});
}

// A subcommand need not have a table: the first operands may be one, too.
bool subcommand_holds(const Rule& rule, const SimpleCommand& command, Why& why) {
  if (rule.subcommands.empty()) return true;
  std::string name = command.subcommand;
  for (std::size_t at = 0; at < std::min(command.operands.size(), kSubcommandWords); ++at) {
    if (find_match(rule.subcommands, std::string_view(name))) break;
    const auto index = static_cast<std::size_t>(command.operands[at]);
    if (index >= command.argv.size() || !command.argv[index].literal()) break;
    name += (name.empty() ? "" : " ") + command.argv[index].text;
  }
  return text_matches(rule.subcommands, name, "subcommand", why);
}

bool privileges_hold(const Rule& rule, const SimpleCommand& command, Why& why) {
  if (rule.privileged && *rule.privileged != command.privileged) {
    return why.no({command.privileged ? "privileged" : "not privileged"});
  }
  if (rule.remote && *rule.remote != command.remote) {
    return why.no({command.remote ? "remote" : "not remote"});
  }
  if (rule.privileged) why.yes({*rule.privileged ? "privileged" : "not privileged"});
  if (rule.remote) why.yes({*rule.remote ? "remote" : "not remote"});
  return true;
}

bool flags_hold(const Rule& rule, const Subject& subject, Why& why) {
  if (rule.flags.empty() && rule.without_flags.empty()) return true;
  const SimpleCommand& command = subject.command();
  if (command.argv.size() < 2) return rule.flags.empty() || why.no({"no flags"});
  const command::ProgramSpec* spec = subject.knowledge->find(command.program);
  for (const std::vector<std::string>& alternatives : rule.flags) {
    const auto found =
        std::find_if(alternatives.begin(), alternatives.end(),
                     [&](const std::string& flag) { return has_flag(command, spec, flag); });
    if (found != alternatives.end()) {
      why.yes({"flag ", *found});
    } else {
      return why.wanted() && why.no({"no flag ", joined(alternatives)});
    }
  }
  // What a negated filter leaves is nearly everything.
  const bool negated = rule.decision == Decision::kAllow;
  for (const std::string& flag : rule.without_flags)
    if (has_flag(command, spec, flag, negated)) return why.no({"has the flag ", flag});
  if (rule.decision != Decision::kAllow || rule.without_flags.empty()) return true;
  const Value* hidden = hidden_option(command, spec);
  if (hidden == nullptr) return true;
  return why.wanted() && why.no({quote(hidden->text), " may become a flag"});
}

bool option_allows(const std::vector<OptionUse>& uses, const OptionCondition& wanted, Why& why) {
  bool is_exact = false;
  for (const OptionUse& use : uses) {
    const bool matched =
        use.is_name_known && use.has_value && find_match(wanted.values, use.value) != nullptr;
    if (!matched) {
      return why.wanted() && why.no({"option ", quote(use.written), " may have another value than ",
                                     joined(wanted.values)});
    }
    is_exact = is_exact || use.is_exact;
  }
  if (is_exact) return why.wanted() ? why.yes({"option ", joined(wanted.names)}) : true;
  return why.wanted() && why.no({"no option ", joined(wanted.names)});
}

bool certainly(const OptionUse& use, const Pattern& pattern) {
  return use.is_name_known && use.has_value && pattern.matches(use.value);
}

bool possibly(const OptionUse& use, const Pattern& pattern) {
  return !use.is_name_known || (use.has_value && pattern.may_match(use.value));
}

std::string shown_value(const OptionUse& use) {
  return use.has_value ? use.value.text : use.word->text;
}

// Returns the use that meets the condition, a certain one if there is one; or null.
std::pair<const OptionUse*, const Pattern*> find_use(const std::vector<OptionUse>& uses,
                                                     const OptionCondition& wanted) {
  for (const auto meets : {certainly, possibly}) {
    for (const OptionUse& use : uses)
      for (const Pattern& pattern : wanted.values)
        if (meets(use, pattern)) return {&use, &pattern};
  }
  return {nullptr, nullptr};
}

bool option_holds(const std::vector<OptionUse>& uses, const OptionCondition& wanted, Why& why) {
  const auto [use, pattern] = find_use(uses, wanted);
  if (!why.wanted()) return use != nullptr;
  if (use != nullptr) {
    const std::string shown = quote(shown_value(*use));
    if (certainly(*use, *pattern)) return why.yes({"option ", use->written, " ", shown});
    return why.yes({"option ", use->written, " ", shown, " may become ", pattern->text});
  }
  if (uses.empty()) return why.no({"no option ", joined(wanted.names)});
  return why.no({"option ", uses.front().written, " is none of ", joined(wanted.values)});
}

bool options_hold(const Rule& rule, const Subject& subject, Why& why) {
  if (rule.options.empty()) return true;
  const SimpleCommand& command = subject.command();
  const command::ProgramSpec* spec = subject.knowledge->find(command.program);
  const bool allows = rule.decision == Decision::kAllow;
  for (const OptionCondition& wanted : rule.options) {
    const std::vector<OptionUse> uses = option_uses(command, spec, wanted.names);
    if (!(allows ? option_allows(uses, wanted, why) : option_holds(uses, wanted, why))) {
      return false;
    }
  }
  const Value* hidden = allows ? hidden_option(command, spec) : nullptr;
  if (hidden == nullptr) return true;
  return why.wanted() && why.no({quote(hidden->text), " may become an option"});
}

const Value* find_argument(const std::vector<Pattern>& patterns, const SimpleCommand& command) {
  for (std::size_t i = 1; i < command.argv.size(); ++i)
    if (find_match(patterns, command.argv[i]) != nullptr) return &command.argv[i];
  return nullptr;
}

bool arguments_hold(const Rule& rule, const SimpleCommand& command, Why& why) {
  if (!rule.arguments.empty()) {
    const Value* found = find_argument(rule.arguments, command);
    if (found == nullptr) return why.wanted() && why.no({"no argument ", joined(rule.arguments)});
    if (why.wanted()) why.yes({"argument ", quote(found->text)});
  }
  if (rule.not_arguments.empty()) return true;
  const Value* found = find_argument(rule.not_arguments, command);
  if (found != nullptr) return why.wanted() && why.no({"has the argument ", quote(found->text)});
  if (rule.decision != Decision::kAllow) return true;
  for (std::size_t i = 1; i < command.argv.size(); ++i) {
    for (const Pattern& pattern : rule.not_arguments) {
      if (!pattern.may_match(command.argv[i])) continue;
      return why.wanted() && why.no({quote(command.argv[i].text), " may become ", pattern.text});
    }
  }
  return true;
}

// Returns a word that may become several, or null.
const Value* splitting_word(const SimpleCommand& command) {
  for (const Value& word : command.argv) {
    for (const Value::Hole& hole : word.holes)
      if (hole.splits || hole.kind == Value::Hole::Kind::kGlob) return &word;
  }
  return nullptr;
}

bool operands_hold(const Rule& rule, const SimpleCommand& command, Why& why) {
  if (!rule.operands.empty()) {
    const auto found =
        std::find_if(command.operands.begin(), command.operands.end(), [&](int index) {
          const Value* word = word_at(command, index);
          return word != nullptr && find_match(rule.operands, *word) != nullptr;
        });
    if (found == command.operands.end()) {
      return why.wanted() && why.no({"no operand ", joined(rule.operands)});
    }
    if (why.wanted()) why.yes({"operand ", quote(word_at(command, *found)->text)});
  }
  if (!rule.max_operands) return true;
  const std::size_t count = command.operands.size();
  if (count > static_cast<std::size_t>(std::max(*rule.max_operands, 0))) {
    return why.wanted() && why.no({std::to_string(count), " operands"});
  }
  if (rule.decision != Decision::kAllow) return true;
  const Value* splitting = splitting_word(command);
  if (splitting == nullptr) return true;
  return why.wanted() && why.no({quote(splitting->text), " may become several words"});
}

// In the order of AccessKind.
constexpr std::string_view kVerbs[] = {
    "reads", "writes", "removes", "changes the permissions of", "executes", "enters", "names"};

// "removes "/" (system), recursively": `classes` are the relevant ones.
std::string describe(const Access& access, command::PathClasses classes,
                     const command::Knowledge& knowledge) {
  std::string text(kVerbs[static_cast<std::size_t>(access.kind)]);
  text += ' ' + quote(access.path.empty() ? access.written : access.path);
  const std::string names = joined(knowledge.class_names(classes));
  if (!names.empty()) text += " (" + names + ")";
  if (access.recursive) text += ", recursively";
  if (access.redirection) text += ", by a redirection";
  return text;
}

bool accesses_hold(const Rule& rule, const Subject& subject, Why& why) {
  if (!has_access_conditions(rule)) return true;
  const std::vector<Access>& accesses = subject.command().accesses;
  if (rule.decision == Decision::kAllow) {
    // One allowed path does not allow the others. Where a redirection leads, other rules judge.
    const auto other = std::find_if(accesses.begin(), accesses.end(), [&](const Access& access) {
      const bool counts = access.kind != AccessKind::kName && !access.redirection;
      return counts && !access_holds(rule, access);
    });
    if (other != accesses.end()) {
      return why.wanted() &&
             why.no({"it also ", describe(*other, other->classes, *subject.knowledge)});
    }
  }
  const auto found = std::find_if(accesses.begin(), accesses.end(),
                                  [&](const Access& access) { return access_holds(rule, access); });
  if (found == accesses.end()) {
    if (!why.wanted()) return false;
    if (accesses.empty()) return why.no({"touches no path"});
    // The nearest miss has the kind that the rule is about, if there is one.
    const auto near = std::find_if(accesses.begin(), accesses.end(), [&](const Access& access) {
      return std::find(rule.access.begin(), rule.access.end(), access.kind) != rule.access.end();
    });
    const Access& miss = near == accesses.end() ? accesses.front() : *near;
    return why.no({"no such access; it ", describe(miss, miss.classes, *subject.knowledge)});
  }
  if (why.wanted()) why.yes({describe(*found, found->classes & rule.paths, *subject.knowledge)});
  return true;
}

bool doubts_hold(const Rule& rule, const Subject& subject, Why& why) {
  if (rule.doubts.empty()) return true;
  for (const int index : subject.doubts) {
    const command::DoubtFact& doubt = subject.facts->doubts[static_cast<std::size_t>(index)];
    if (!names_doubt(rule, doubt)) continue;
    if (why.wanted()) why.yes({name_of(doubt.doubt), " ", quote(doubt.detail)});
    return true;
  }
  return why.no({"no such doubt"});
}

bool nesting_holds(const Rule& rule, const SimpleCommand& command, Why& why) {
  if (rule.within.empty()) return true;
  for (const command::Nesting& nesting : command.nesting) {
    const std::string_view kind = name_of(nesting.kind);
    const bool by_kind = find_match(rule.within, kind) != nullptr;
    if (!by_kind &&
        (nesting.by.empty() || find_match(rule.within, std::string_view(nesting.by)) == nullptr)) {
      continue;
    }
    if (why.wanted()) why.yes({"within ", by_kind ? std::string(kind) : quote(nesting.by)});
    return true;
  }
  return why.wanted() && why.no({"not within ", joined(rule.within)});
}

// Unless it says otherwise, an allow rule is about a known program that runs here, with the rights
// of the run.
bool circumstances_hold(const Rule& rule, const SimpleCommand& command, Why& why) {
  if (rule.decision != Decision::kAllow) return true;
  if (command.privileged && !rule.privileged) return why.wanted() && why.no({"privileged"});
  if (command.remote && !rule.remote) return why.wanted() && why.no({"remote"});
  return true;
}

bool hosts_hold(const Rule& rule, const SimpleCommand& command, Why& why) {
  if (rule.decision == Decision::kAllow && !rule.hosts.empty()) {
    for (const std::string& host : command.hosts) {
      if (find_match(rule.hosts, std::string_view(host)) == nullptr)
        return why.wanted() && why.no({"it also talks to another host"});
    }
  }
  if (!some_text_matches(rule.hosts, command.hosts, "host", why)) return false;
  if (rule.not_hosts.empty()) return true;
  for (const std::string& host : command.hosts) {
    if (find_match(rule.not_hosts, std::string_view(host)) != nullptr) continue;
    if (why.wanted()) why.yes({"host ", quote(host)});
    return true;
  }
  return why.wanted() && why.no({"no host but ", joined(rule.not_hosts)});
}

bool computed_holds(const Rule& rule, const SimpleCommand& command, Why& why) {
  if (!rule.computed) return true;
  const bool found = std::any_of(command.argv.begin(), command.argv.end(),
                                 [](const Value& word) { return !word.literal(); });
  if (!found) return why.no({"all its words are known"});
  return why.wanted() ? why.yes({"a computed word"}) : true;
}

bool input_holds(const Rule& rule, const SimpleCommand& command, Why& why) {
  if (!rule.computed_input) return true;
  if (command.unknown_input.empty()) return why.wanted() && why.no({"no computed input"});
  return why.wanted() ? why.yes({"a computed input"}) : true;
}

}  // namespace

std::string uncertain_option(const Rule& rule, const Subject& subject) {
  const SimpleCommand& command = subject.command();
  const command::ProgramSpec* spec = subject.knowledge->find(command.program);
  for (const OptionCondition& wanted : rule.options) {
    const std::vector<OptionUse> uses = option_uses(command, spec, wanted.names);
    const auto [use, pattern] = find_use(uses, wanted);
    if (use != nullptr && !certainly(*use, *pattern)) return shown_value(*use);
  }
  return "";
}

bool names_doubt(const Rule& rule, const command::DoubtFact& doubt) {
  if (std::find(rule.doubts.begin(), rule.doubts.end(), doubt.doubt) == rule.doubts.end()) {
    return false;
  }
  return rule.doubt_details.empty() ||
         find_match(rule.doubt_details, std::string_view(doubt.detail)) != nullptr;
}

bool matches(const Rule& rule, const Subject& subject, std::string* text) {
  Why why(text);
  const SimpleCommand& command = subject.command();
  if (why.wanted() && !rule.programs.empty()) why.yes({"program ", quote(command.program)});
  return subcommand_holds(rule, command, why) && circumstances_hold(rule, command, why) &&
         computed_holds(rule, command, why) && input_holds(rule, command, why) &&
         privileges_hold(rule, command, why) && accesses_hold(rule, subject, why) &&
         doubts_hold(rule, subject, why) && flags_hold(rule, subject, why) &&
         options_hold(rule, subject, why) && operands_hold(rule, command, why) &&
         arguments_hold(rule, command, why) && nesting_holds(rule, command, why) &&
         some_text_matches(rule.fed_by, command.fed_by, "fed by", why) &&
         some_text_matches(rule.feeds, command.feeds, "feeds", why) &&
         hosts_hold(rule, command, why);
}

}  // namespace gibbous::rules
