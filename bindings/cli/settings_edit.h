// Sets or removes the entry of one MCP server in the text of a client's settings, and changes no
// other byte. What cannot be changed with certainty is refused (settings_unclear) with the reason.
// Pure, any thread.
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
  bool typed = false;  // JSON: with "type": "stdio"
};

OrderedJson entry_value(const ServerEntry& entry);

// JSON: the entry is a member of the object `member`. Other members of an entry that exists stay.
// `comments`: the program reads comments and trailing commas, which stay, too.
Result<std::string> set_in_json(const std::string& text, const std::string& member,
                                const ServerEntry& entry, bool comments = false);
Result<std::string> remove_from_json(const std::string& text, const std::string& member,
                                     const std::string& name, bool comments = false);

// TOML: the entry is the table `table`.NAME. Its other keys stay.
Result<std::string> set_in_toml(const std::string& text, const std::string& table,
                                const ServerEntry& entry);
// Its tables below, such as its env, go with it.
Result<std::string> remove_from_toml(const std::string& text, const std::string& table,
                                     const std::string& name);

// What to add by hand.
std::string json_to_add(const std::string& member, const ServerEntry& entry);
std::string toml_to_add(const std::string& table, const ServerEntry& entry);

Status settings_unclear(const std::string& why);

}  // namespace gibbous::cli
