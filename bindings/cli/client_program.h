// Finds the program that started this one: the client of an MCP server, which gives its name to the
// session.
#pragma once

#include <string>
#include <vector>

namespace gibbous::cli {

// Returns its name, such as "claude"; for a script, the script's name; "client" when it is unknown.
std::string client_program();

// The name of the program with these arguments. Pure.
std::string program_name(const std::vector<std::string>& argv);

}  // namespace gibbous::cli
