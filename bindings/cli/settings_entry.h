// The entry of one MCP server in the JSON text of a client's settings. Other members stay, in their
// order; a file that is no plain JSON is refused (settings_unclear) with the reason. Pure, any
// thread.
#pragma once

#include <string>
#include <vector>

#include "bindings/json/json.h"
#include "gibbous/status.h"

namespace gibbous::cli {

struct ServerEntry {
  std::string name;  // letters, digits, _ and -
  std::string command;
  std::vector<std::string> arguments;
  bool typed = false;  // with "type": "stdio"
};

OrderedJson entry_value(const ServerEntry& entry);

// The entry is a member of the object `member`. Other members of an entry that exists stay.
Result<std::string> set_entry(const std::string& text, const std::string& member,
                              const ServerEntry& entry);
Result<std::string> remove_entry(const std::string& text, const std::string& member,
                                 const std::string& name);

// What to add by hand.
std::string entry_to_add(const std::string& member, const ServerEntry& entry);

}  // namespace gibbous::cli
