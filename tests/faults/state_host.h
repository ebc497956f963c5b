// One `gibbous session` after another over one state directory, with the tools of
// tests/faults/scripts.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "tests/faults/containment.h"

namespace gibbous::testing {

class StateHost {
 public:
  explicit StateHost(const TempDir& state) {
    const std::string scripts =
        std::string(std::getenv("GIBBOUS_SOURCE_DIR")) + "/tests/faults/scripts";
    session_.emplace(std::vector<std::string>{"--mode", "dangerous", "--state", state.path(),
                                              "--scripts", scripts});
  }
  Json call(const std::string& tool, const Json& args) { return session_->call(tool, args); }
  Json result(const std::string& tool, const Json& args) {
    const Json answer = call(tool, args);
    INFO(answer.dump());
    REQUIRE(answer.contains("result"));
    return answer["result"]["data"];
  }
  // Ends it by a signal; 0: by the end of its input.
  void end(int signal_number) {
    if (signal_number == 0) {
      session_->program().close_stdin();
    } else {
      session_->program().send_signal(signal_number);
    }
    REQUIRE(session_->program().wait());
  }

 private:
  std::optional<Conversation> session_;
};

// Returns true if no process has the word in its command any more.
inline bool gone(const std::string& word) {
  Loop loop;
  return loop.until([&] { return processes_with(word).empty(); });
}

}  // namespace gibbous::testing
