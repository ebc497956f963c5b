// Decides which words of a command are options, and of which table.
#include "runtime/rules/options.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "runtime/command/arguments.h"
#include "runtime/command/flags.h"
#include "runtime/rules/rules.h"

namespace gibbous::rules {
namespace {

using command::ProgramSpec;
using command::SimpleCommand;
using command::Value;

constexpr std::string_view kDashes = "--";
constexpr std::size_t kLetterOptionBytes = 2;  // -x

// The table of the subcommand, if there is one.
const ProgramSpec* table_of(const SimpleCommand& command, const ProgramSpec* spec) {
  if (spec == nullptr) return nullptr;
  const auto found = spec->subcommands.find(command.subcommand);
  return found == spec->subcommands.end() ? spec : found->second.get();
}

// Returns true if an option whose name is not known may become one of these.
bool may_become(const Value& word, const ProgramSpec& spec, const std::vector<std::string>& names) {
  if (!command::may_hide_options(word, &spec)) return false;
  const std::string_view known = std::string_view(word.text).substr(0, word.holes.front().begin);
  return std::any_of(names.begin(), names.end(), [&](std::string_view name) {
    const bool is_letter = name.size() == kLetterOptionBytes && !spec.single_dash_long;
    return is_letter ? !known.starts_with(kDashes) || known == kDashes
                     : name.starts_with(known) || known.starts_with(name);
  });
}

// The value is the first of the words that an unquoted variable becomes.
Value first_word(Value value) {
  for (Value::Hole& hole : value.holes)
    if (hole.kind == Value::Hole::Kind::kUnknown) hole.splits = false;
  return value;
}

}  // namespace

const Value* word_at(const SimpleCommand& command, int index) {
  if (index < 0 || static_cast<std::size_t>(index) >= command.argv.size()) return nullptr;
  return &command.argv[static_cast<std::size_t>(index)];
}

bool has_flag(const SimpleCommand& command, const ProgramSpec* spec, std::string_view flag,
              bool negated) {
  if (command.options.empty() || flag.empty()) return false;
  const ProgramSpec* table = table_of(command, spec);
  for (const int index : command.options) {
    const Value* word = word_at(command, index);
    if (word == nullptr) continue;
    if (word->literal() && word->text == kDashes) break;
    if (!negated && gibbous::command::is_negated(command.argv, index)) continue;
    if (gibbous::command::is_flag(*word, table, flag)) return true;
  }
  return false;
}

std::vector<OptionUse> option_uses(const SimpleCommand& command, const ProgramSpec* spec,
                                   const std::vector<std::string>& names) {
  std::vector<OptionUse> uses;
  const ProgramSpec* table = table_of(command, spec);
  command::Selector wanted;
  wanted.kind = command::Selector::Kind::kOptions;
  wanted.options = names;
  for (const int index : command.options) {
    const Value* word = word_at(command, index);
    if (word == nullptr) continue;
    if (word->literal() && word->text == kDashes) break;
    ProgramSpec with_names;  // they take a value even if the table does not say so
    if (table != nullptr) {
      with_names.values = table->values;
      with_names.single_dash_long = table->single_dash_long;
    }
    with_names.values.insert(with_names.values.end(), names.begin(), names.end());
    if (may_become(*word, with_names, names)) {
      uses.push_back({word->text, false, false, word, {}, false});
      continue;
    }
    std::vector<Value> words = {command.argv.front(), *word};
    if (const Value* next = word_at(command, index + 1)) words.push_back(*next);
    const command::Arguments split = command::split_arguments(words, &with_names);
    for (const command::Selected& found : command::select(words, split, {wanted})) {
      const auto exact = [&](const std::string& name) {
        const bool is_long = name.size() > kLetterOptionBytes;
        return word->text.starts_with(name) &&
               (!is_long || word->text.size() == name.size() || word->text[name.size()] == '=');
      };
      const auto name = std::find_if(names.begin(), names.end(), exact);
      const bool is_exact = name != names.end();
      uses.push_back({is_exact ? *name : split.values.front().option, is_exact, true,
                      word_at(command, index + found.argument - 1), first_word(found.value), true});
    }
    const bool lacks_value = split.values.empty() && words.size() == 2;
    if (lacks_value && std::find(names.begin(), names.end(), word->text) != names.end())
      uses.push_back({word->text, true, true, word, {}, false});
  }
  return uses;
}

const Value* hidden_option(const SimpleCommand& command, const ProgramSpec* spec) {
  const ProgramSpec* table = table_of(command, spec);
  std::vector<int> candidates;  // without the values of options, which are never options
  for (std::size_t i = 1; i < command.argv.size(); ++i) {
    const Value& word = command.argv[i];
    if (word.literal()) {
      if (word.text == kDashes) break;
      continue;
    }
    for (const Value::Hole& hole : word.holes)
      if (hole.splits && hole.kind == Value::Hole::Kind::kUnknown) return &word;
    if (candidates.empty()) {
      candidates = command.options;
      candidates.insert(candidates.end(), command.operands.begin(), command.operands.end());
      std::sort(candidates.begin(), candidates.end());
    }
    const auto index = static_cast<int>(i);
    if (std::binary_search(candidates.begin(), candidates.end(), index) &&
        gibbous::command::may_hide_options(word, table)) {
      return &word;
    }
  }
  return nullptr;
}

}  // namespace gibbous::rules
