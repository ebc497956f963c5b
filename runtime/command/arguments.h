// Reads an argv as its program would: options, their values and operands; and finds the words that
// a Selector means. The analyser calls it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/command/facts.h"
#include "runtime/command/knowledge.h"

namespace gibbous::command {

struct OptionValue {
  std::string option;  // "-o", "--output"
  Value value;
  int argument = 0;  // index into argv
};

struct Arguments {
  const ProgramSpec* spec = nullptr;  // of the subcommand, if there is one; may be null
  const ProgramSpec* program = nullptr;
  std::string subcommand;
  std::vector<int> options;
  std::vector<int> operands;  // without the words of the subcommand
  std::vector<OptionValue> values;
  int after_dashes = -1;  // index of the first word after "--"; -1: none
};

// argv[0] is the program. With a null `spec`, every word that begins with a dash is an option.
Arguments split_arguments(const std::vector<Value>& argv, const ProgramSpec* spec);

struct Selected {
  Value value;
  int argument = -1;
};
std::vector<Selected> select(const std::vector<Value>& argv, const Arguments& arguments,
                             const std::vector<Selector>& selectors);

// Returns true if one of these flags is present, by meaning; see rules::has_flag. False for an
// empty list.
bool any_flag(const std::vector<Value>& argv, const Arguments& arguments,
              const std::vector<std::string>& flags);

// Appends the text of `from`, with its holes.
void append_value(const Value& from, Value* to);
// Returns the part of `value` from byte `from` on, with its holes.
Value tail_of(const Value& value, std::size_t from);

}  // namespace gibbous::command
