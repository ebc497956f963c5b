// Where the value of a secret comes from, which runs name instead of giving it. Exactly one member
// is set; none, when the configured variable did not exist. Any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace gibbous::lua {

struct SecretSource {
  std::optional<std::string> value;  // from the program that embeds Gibbous, or its environment
  std::string variable;              // whose value that is, for messages; "": of the program
  std::string file;                  // read at each start
  std::vector<std::string> command;  // run at each start; its output is the value
};

}  // namespace gibbous::lua
