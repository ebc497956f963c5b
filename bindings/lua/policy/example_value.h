// Command lines in the tables of a policy: the examples of rules and the entries of cases, each a
// string, or a table with command or argv, cwd and mode. Private to rule_value.cc and
// case_value.cc. Loop thread only.
#pragma once

#include <string>
#include <vector>

#include "bindings/lua/policy/table_reader.h"

namespace gibbous::lua {

inline constexpr char kExampleMode[] = "auto";

// Reads an absolute path.
void read_directory(TableReader& reader, std::string* out);
// Reads the list on top of the stack; cwd and mode are "" where absent.
void read_command_lines(TableReader& reader, std::vector<rules::Example>* out);

}  // namespace gibbous::lua
