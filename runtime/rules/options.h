// The options of a command beyond has_flag() of rules.h. match.cc uses it.
#pragma once

#include <string>
#include <vector>

#include "runtime/command/facts.h"
#include "runtime/command/knowledge.h"

namespace gibbous::rules {

// Returns the first word that may become an unseen option: "$x", -$x, or a * that may match a file
// named -f. Null if there is none.
const command::Value* hidden_option(const command::SimpleCommand& command,
                                    const command::ProgramSpec* spec);

// One place where a command gives, or may give, one of some options.
struct OptionUse {
  std::string written;         // "--context", "-c"; of an unknown name, the word
  bool is_exact = false;       // not abbreviated, not behind other letters (-vcX), its name known
  bool is_name_known = false;  // false: "--con$X", which may become the option with any value
  const command::Value* word = nullptr;  // the word that holds the value, or the option itself
  command::Value value;                  // if has_value
  bool has_value = false;                // false: nothing follows it
};

// Returns every use of these options before "--": --context=X, --context X, --cont X (unless the
// table names --cont), -cX, -c X and -vcX, and one for each word of a loop. They take a value even
// if the table does not say so.
std::vector<OptionUse> option_uses(const command::SimpleCommand& command,
                                   const command::ProgramSpec* spec,
                                   const std::vector<std::string>& names);

// Returns null if there is no such word.
const command::Value* word_at(const command::SimpleCommand& command, int index);

}  // namespace gibbous::rules
