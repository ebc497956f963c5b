// Host: a Runtime with its own loop, as an embedding program holds one, and calls that are waited
// for.
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

  // Polls until `done`; false after a deadline that passing tests never meet.
  bool until(const std::function<bool()>& done);
  CallResult call(const std::string& tool, const Json& arguments, const std::string& session = "");
  // The parsed data of a call that must succeed.
  Json data(const std::string& tool, const Json& arguments, const std::string& session = "");
  // Starts a command with bg_start; gives its id.
  std::string start(const std::string& command);
  bool saw_event(const std::string& name) const;

  std::vector<Event> events;  // also those of the runtime's end
  std::unique_ptr<Runtime> runtime;
};

// Options with mode auto and the shipped scripts.
RuntimeOptions auto_mode();
// Processes whose command line holds `part`, this one not counted.
std::vector<int> processes_with(const std::string& part);
// A text that no other process has in its command line.
std::string unique_word();

}  // namespace gibbous::testing
