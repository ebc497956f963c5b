#include "runtime/rules/packed.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "runtime/base/packing.h"
#include "runtime/rules/index.h"

// Found by argument-dependent lookup, so each stands in the namespace of its type.
namespace gibbous::command {

template <typename A>
void fields(A& all, Selector& each) {
  auto& [kind, options, prefix] = each;
  all(kind, options, prefix);
}

template <typename A>
void fields(A& all, AccessSpec& each) {
  auto& [kind, selectors, when, unless, recursive] = each;
  all(kind, selectors, when, unless, recursive);
}

template <typename A>
void fields(A& all, RunsSpec& each) {
  auto& [how, from, when, unless, skip, assignments, appends, and_operands, ends_at_plus, optional,
         shell_if_empty, strip_prefix, language] = each;
  all(how, from, when, unless, skip, assignments, appends, and_operands, ends_at_plus, optional,
      shell_if_empty, strip_prefix, language);
}

// All of knowledge have the same options.
inline void fields(Packer& all, LazyRegex& each) {
  all(each.pattern());
}

inline void make_shared_from(Unpacker& all, std::shared_ptr<LazyRegex>* made) {
  std::string pattern;
  all(pattern);
  *made = std::make_shared<LazyRegex>(std::move(pattern));
}

template <typename A>
void fields(A& all, TypedSpec& each) {
  auto& [pattern, language] = each;
  all(pattern, language);
}

template <typename A>
void fields(A& all, HistorySpec& each) {
  auto& [kind, leave_input] = each;
  all(kind, leave_input);
}

template <typename A>
void fields(A& all, ProgramSpec& each) {
  auto& [values, accesses, recursive, runs, typed, cwd, hosts, evaluated, text, single_dash_long,
         options_first, privileged, remote, decodes, decodes_when, takes_paths, prints, lists,
         lists_names, builds, history, filters, subcommands] = each;
  all(values, accesses, recursive, runs, typed, cwd, hosts, evaluated, text, single_dash_long,
      options_first, privileged, remote, decodes, decodes_when, takes_paths, prints, lists,
      lists_names, builds, history, filters, subcommands);
}

template <typename A>
void fields(A& all, VariableSpec& each) {
  auto& [name, shell, safe] = each;
  all(name, shell, safe);
}

template <typename A>
void fields(A& all, LanguageSpec::Call& each) {
  auto& [kind, recursive, pattern] = each;
  all(kind, recursive, pattern);
}

template <typename A>
void fields(A& all, LanguageSpec& each) {
  auto& [calls] = each;
  all(calls);
}

template <typename A>
void fields(A& all, PathClassSpec& each) {
  auto& [name, entries, inside, named, entered] = each;
  all(name, entries, inside, named, entered);
}

template <typename T>
std::shared_ptr<const T> unpack_spec(std::string_view bytes) {
  auto made = std::make_shared<T>();
  Unpacker all(bytes);
  all(*made);
  return all.at_end() ? made : nullptr;
}

// Each entry is packed by itself, so that it can be read by itself.
template <typename T>
void fields(Packer& all, SpecTable<T>& each) {
  std::vector<std::pair<std::string, std::size_t>> names;
  std::vector<std::string> items;
  std::unordered_map<const T*, std::size_t> known;
  std::vector<std::string> sorted;
  for (const auto& [name, spec] : each.whole()) sorted.push_back(name);
  std::sort(sorted.begin(), sorted.end());
  for (const std::string& name : sorted) {
    const T* spec = each.find(name);
    const auto [item, is_new] = known.try_emplace(spec, items.size());
    names.emplace_back(name, item->second);
    if (!is_new) continue;
    Packer one(&items.emplace_back());
    one(*spec);
  }
  all(PackedNames::pack(names, items));
}

template <typename T>
void fields(Unpacker& all, SpecTable<T>& each) {
  std::string_view text;
  all(text);
  each = SpecTable<T>(PackedNames(text, all.owner()), &unpack_spec<T>);
}

template <typename A>
void fields(A& all, Knowledge& each) {
  auto& [programs, patterns, variables, languages, classes, outputs, text, unheld, reaching] = each;
  all(programs, patterns, variables, languages, classes, outputs, text, unheld, reaching);
}

}  // namespace gibbous::command

namespace gibbous::rules {

template <typename A>
void fields(A& all, Pattern& each) {
  auto& [text, regex] = each;
  all(text);
  if constexpr (A::kReads) {
    each = Pattern::known(std::move(text));
  } else {
    (void)regex;  // made of the text
  }
}

template <typename A>
void fields(A& all, OptionCondition& each) {
  auto& [names, values] = each;
  all(names, values);
}

template <typename A>
void fields(A& all, Rule& each) {
  auto& [id, reason, decision, file, line, shipped, modes, programs, subcommands, flags,
         without_flags, options, arguments, not_arguments, operands, max_operands, access, paths,
         not_paths, recursive, redirection, doubts, doubt_details, variables, wrappers, within,
         fed_by, feeds, hosts, not_hosts, privileged, remote, leaves, reads, computed,
         computed_input, test, test_knows, match, not_match] = each;
  all(id, reason, decision, file, line, shipped, modes, programs, subcommands, flags, without_flags,
      options, arguments, not_arguments, operands, max_operands, access, paths, not_paths,
      recursive, redirection, doubts, doubt_details, variables, wrappers, within, fed_by, feeds,
      hosts, not_hosts, privileged, remote, leaves, reads, computed, computed_input, test,
      test_knows);
  (void)match;  // examples: see packed.h
  (void)not_match;
}

template <typename A>
void fields(A& all, Needs& each) {
  auto& [has, kinds, doubts, classes] = each;
  all(has, kinds, doubts, classes);
}

template <typename A>
void fields(A& all, Prepared& each) {
  auto& [rule, needs] = each;
  all(rule, needs);
}

template <typename A>
void fields(A& all, ProgramRules& each) {
  auto& [rules] = each;
  all(rules);
}

template <typename A>
void fields(A& all, GeneralRule& each) {
  auto& [prepared, programs, begins] = each;
  all(prepared, programs);
  if constexpr (A::kReads) {
    each.find_beginnings();
  } else {
    (void)begins;  // made of the programs
  }
}

template <typename A>
void fields(A& all, Index& each) {
  auto& [by_program, general, listed, of_lines] = each;
  all(by_program, general, of_lines);
  if constexpr (A::kReads) {
    std::string expression;
    all(expression);
    listed.set_expression(std::move(expression));
  } else {
    all(listed.expression());
  }
}

namespace {

bool unpack_rule(std::string_view bytes, Rule* rule) {
  Unpacker all(bytes);
  all(*rule);
  return all.at_end();
}

}  // namespace

void pack(const RuleSet& rules, std::string* out) {
  std::vector<std::string> items;
  for (const Rule& rule : rules.rules()) {
    Packer one(&items.emplace_back());
    one(rule);
  }
  Packer all(out);
  all(PackedNames::pack({}, items), Index(rules.rules()), rules.knowledge());
}

std::shared_ptr<const RuleSet> unpack(std::string_view bytes, std::shared_ptr<const void> owner) {
  if (owner == nullptr) {
    const auto copy = std::make_shared<const std::string>(bytes);
    return unpack(*copy, copy);
  }
  const auto knowledge = std::make_shared<command::Knowledge>();
  auto index = std::make_unique<Index>();
  std::string_view rules;
  Unpacker all(bytes, owner);
  all(rules, *index, *knowledge);
  if (!all.at_end()) return nullptr;
  auto store = std::make_unique<const RuleStore>(PackedNames(rules, std::move(owner)), unpack_rule);
  return RuleSet::known(std::move(store), std::move(index), knowledge);
}

}  // namespace gibbous::rules
