// The files that `gibbous new` writes: small ones that work as they are. Pure, any thread.
#pragma once

#include <string>
#include <vector>

namespace gibbous::cli {

enum class NewKind { kTool, kPolicy, kWatcher, kExecutor };

struct NewFile {
  std::string path;  // below the directory
  std::string text;
};

struct NewTemplate {
  NewFile file;
  NewFile init;                   // lists the file; for a directory that has none
  NewFile spec;                   // for `gibbous test`; without a path: none
  std::string how_to_list;        // what to add to an init.lua that exists
  std::vector<std::string> next;  // commands
};

// `name` has been checked by name_problem().
NewTemplate new_template(NewKind kind, const std::string& name);

// Explains why nothing of this kind can have the name; "" when it can.
std::string name_problem(NewKind kind, const std::string& name);

}  // namespace gibbous::cli
