// Whether a word is a flag, by meaning: alone, in a cluster (-rf), by an abbreviation (--rec), with
// =value. Asked by the analyser for what programs do with a flag, and by rules.
#pragma once

#include <string_view>

#include "runtime/command/facts.h"
#include "runtime/command/knowledge.h"

namespace gibbous::command {

// `spec` is the table that holds for the word, and may be null.
bool is_flag(const Value& word, const ProgramSpec* spec, std::string_view flag);

// What is not known of the word may make an option of it that nobody can see: "$x", -$x.
bool may_hide_options(const Value& word, const ProgramSpec* spec);

}  // namespace gibbous::command
