// Decides which words of a command are options, and of which table.
#include "runtime/rules/options.h"

#include <algorithm>
#include <string_view>

#include "runtime/command/flags.h"
#include "runtime/rules/rules.h"

namespace gibbous::rules {
namespace {

using command::ProgramSpec;
using command::SimpleCommand;
using command::Value;

constexpr std::string_view kDashes = "--";

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

}  // namespace

const Value* word_at(const SimpleCommand& command, int index) {
  if (index < 0 || static_cast<std::size_t>(index) >= command.argv.size()) return nullptr;
  return &command.argv[static_cast<std::size_t>(index)];
}

bool has_flag(const SimpleCommand& command, const ProgramSpec* spec, std::string_view flag) {
  if (command.options.empty() || flag.empty()) return false;
  const Tables tables(command, spec);
  for (const int index : command.options) {
    const Value* word = word_at(command, index);
    if (word == nullptr) continue;
    if (word->literal() && word->text == kDashes) break;
    if (gibbous::command::is_flag(*word, tables.at(index), flag)) return true;
  }
  return false;
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
