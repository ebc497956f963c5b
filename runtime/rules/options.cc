// Decides which words of a command are options, and of which table.
#include "runtime/rules/options.h"

#include <algorithm>
#include <optional>
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
constexpr std::size_t kMaxClusterBytes = 256;  // a longer one is taken to hold every letter

std::size_t known_bytes(const Value& word) {
  return word.literal() ? word.text.size() : word.holes.front().begin;
}

// Chooses the table for an option: the subcommand's after its name, the program's before it.
class Tables {
 public:
  Tables(const SimpleCommand& command, const ProgramSpec* spec) : program_(spec) {
    if (spec == nullptr || command.subcommand.empty() || spec->subcommands.empty()) return;
    const auto found = spec->subcommands.find(command.subcommand);
    if (found == spec->subcommands.end()) return;
    subcommand_ = found->second.get();
    const std::string_view name = command.subcommand;
    const std::string_view word = name.substr(0, name.find(' '));
    while (++begin_ < static_cast<int>(command.argv.size())) {
      if (word_at(command, begin_)->text == word) break;
    }
  }

  const ProgramSpec* at(int index) const {
    return subcommand_ != nullptr && index > begin_ ? subcommand_ : program_;
  }

 private:
  const ProgramSpec* program_;
  const ProgramSpec* subcommand_ = nullptr;
  int begin_ = 0;
};

bool starts_with(std::string_view text, std::string_view beginning) {
  return text.substr(0, beginning.size()) == beginning;
}

bool is_letter_option(std::string_view name) {
  return name.size() == kLetterOptionBytes && name.front() == '-' && name != kDashes;
}

// Reads one option word. The value that it holds begins at value_at; npos: the next word is it.
struct Spelling {
  bool is_exact = false;
  bool is_name_known = true;
  std::size_t value_at = std::string::npos;
};

std::optional<Spelling> long_spelling(const Value& word, const ProgramSpec* spec,
                                      std::string_view name) {
  const std::string_view text = word.text;
  const std::string_view known = text.substr(0, known_bytes(word));
  const std::size_t equals = known.find('=');
  if (equals != std::string_view::npos || word.literal()) {
    if (!gibbous::command::is_flag(word, spec, name)) return std::nullopt;
    return Spelling{known.substr(0, equals) == name, true,
                    equals == std::string_view::npos ? equals : equals + 1};
  }
  if (!starts_with(name, known) && !starts_with(known, name)) return std::nullopt;
  return Spelling{false, false};
}

// A letter in a cluster takes the rest of it as its value.
std::optional<Spelling> letter_spelling(const Value& word, const ProgramSpec* spec, char letter) {
  const std::string_view text = word.text;
  const std::string_view known = text.substr(0, known_bytes(word));
  if (starts_with(text, kDashes) || (spec != nullptr && spec->single_dash_long)) {
    return std::nullopt;
  }
  for (std::size_t at = 1; at < std::min(known.size(), kMaxClusterBytes); ++at) {
    if (known[at] == '=') return std::nullopt;
    if (known[at] == letter) {
      Spelling found{at == 1, true};
      if (at + 1 < text.size()) found.value_at = at + 1 + (text[at + 1] == '=' ? 1U : 0U);
      return found;
    }
    const std::string option = {'-', known[at]};
    if (spec != nullptr &&
        std::find(spec->values.begin(), spec->values.end(), option) != spec->values.end()) {
      return std::nullopt;
    }
  }
  const bool is_whole = word.literal() && text.size() <= kMaxClusterBytes;
  return is_whole ? std::nullopt : std::optional<Spelling>({false, false});
}

// The value is the first of the words that an unquoted variable becomes.
void give_value(OptionUse& use, Value value) {
  for (Value::Hole& hole : value.holes)
    if (hole.kind == Value::Hole::Kind::kUnknown) hole.splits = false;
  use.value = std::move(value);
  use.has_value = true;
}

std::optional<Spelling> spelling(const Value& word, const ProgramSpec* spec,
                                 const std::string& name) {
  const bool is_letter = is_letter_option(name);
  if (is_letter && (spec == nullptr || !spec->single_dash_long)) {
    return letter_spelling(word, spec, name[1]);
  }
  return long_spelling(word, spec, name);
}

}  // namespace

const Value* word_at(const SimpleCommand& command, int index) {
  if (index < 0 || static_cast<std::size_t>(index) >= command.argv.size()) return nullptr;
  return &command.argv[static_cast<std::size_t>(index)];
}

bool has_flag(const SimpleCommand& command, const ProgramSpec* spec, std::string_view flag,
              bool negated) {
  if (command.options.empty() || flag.empty()) return false;
  const Tables tables(command, spec);
  for (const int index : command.options) {
    const Value* word = word_at(command, index);
    if (word == nullptr) continue;
    if (word->literal() && word->text == kDashes) break;
    if (!negated && gibbous::command::is_negated(command.argv, index)) continue;
    if (gibbous::command::is_flag(*word, tables.at(index), flag)) return true;
  }
  return false;
}

std::vector<OptionUse> option_uses(const SimpleCommand& command, const ProgramSpec* spec,
                                   const std::vector<std::string>& names) {
  std::vector<OptionUse> uses;
  const Tables tables(command, spec);
  for (const int index : command.options) {
    const Value* word = word_at(command, index);
    if (word == nullptr) continue;
    if (word->literal() && word->text == kDashes) break;
    for (const std::string& name : names) {
      const std::optional<Spelling> found = spelling(*word, tables.at(index), name);
      if (!found) continue;
      OptionUse use{found->is_name_known ? name : word->text,
                    found->is_exact,
                    found->is_name_known,
                    word,
                    {},
                    false};
      if (found->value_at != std::string::npos) {
        give_value(use, gibbous::command::tail_of(*word, found->value_at));
        uses.push_back(std::move(use));
        break;
      }
      if (const Value* next = word_at(command, index + 1)) {
        use.word = next;
        give_value(use, *next);
      }
      uses.push_back(std::move(use));
      break;
    }
  }
  return uses;
}

const Value* hidden_option(const SimpleCommand& command, const ProgramSpec* spec) {
  const Tables tables(command, spec);
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
        gibbous::command::may_hide_options(word, tables.at(index))) {
      return &word;
    }
  }
  return nullptr;
}

}  // namespace gibbous::rules
