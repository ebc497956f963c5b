// Command lines as the tables of a policy hold them: the examples of rules and the entries of
// cases, each a string, or a table with command or argv, cwd and mode. Private to rule_value.cc and
// case_value.cc. Loop thread only.
#pragma once

#include <string>
#include <vector>

#include "bindings/lua/policy/table_reader.h"

namespace gibbous::lua {

inline constexpr char kExampleMode[] = "auto";

// An absolute path.
void read_directory(TableReader& reader, std::string* out);
// The list on top of the stack; cwd and mode are "" where none is given.
void read_command_lines(TableReader& reader, std::vector<rules::Example>* out);
// The same, with the default mode set.
void read_examples(TableReader& reader, std::vector<rules::Example>* out);

}  // namespace gibbous::lua
