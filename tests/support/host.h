// Host: a Runtime with its own loop, as in an embedding program, and functions that wait for calls.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bindings/json/json.h"
#include "gibbous/runtime.h"

namespace gibbous::testing {

class Host {
 public:
  explicit Host(RuntimeOptions options = {});

  // Polls until `done`; false after a deadline that passing tests never reach.
  bool until(const std::function<bool()>& done);
  CallResult call(const std::string& tool, const Json& arguments, const std::string& session = "");
  // Returns the parsed data of a call that must succeed.
  Json data(const std::string& tool, const Json& arguments, const std::string& session = "");
  // Starts a command with bg_start and returns its id.
  std::string start(const std::string& command);
  bool saw_event(const std::string& name) const;

  std::vector<Event> events;  // including those of the runtime's end
  std::unique_ptr<Runtime> runtime;
};

// Options with mode auto and the shipped scripts.
RuntimeOptions auto_mode();
// The same with the toolset `shell` in addition to the default ones.
RuntimeOptions with_shell();
// Returns other processes whose command line holds `part`.
std::vector<int> processes_with(const std::string& part);
// Returns a text that no other process has in its command line.
std::string unique_word();

}  // namespace gibbous::testing
