// Decides whether a word is a flag, by meaning: alone, in a cluster (-rf), abbreviated (--rec), or
// with =value. The analyser uses it for a program's flags, and so do rules.
#pragma once

#include <string_view>
#include <vector>

#include "runtime/command/facts.h"
#include "runtime/command/knowledge.h"

namespace gibbous::command {

// `spec` is the table that applies to the word; it may be null.
bool is_flag(const Value& word, const ProgramSpec* spec, std::string_view flag);

// Returns true if a `!` stands before the word, as in find ! -name x.
bool is_negated(const std::vector<Value>& argv, int index);

// Returns true if the unknown part of the word may become an option: "$x", -$x.
bool may_hide_options(const Value& word, const ProgramSpec* spec);

}  // namespace gibbous::command
