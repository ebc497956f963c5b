// Conversation: a `gibbous session` under test. Sends requests, finds the answer to each among the
// lines that come, keeps the rest. One thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "bindings/json/json.h"
#include "tests/support/program.h"

namespace gibbous::testing {

// The `gibbous` of this build.
std::string command_path();

class Conversation {
 public:
  // `arguments` follow `gibbous session`.
  explicit Conversation(const std::vector<std::string>& arguments,
                        std::map<std::string, std::string> env = {});

  Program& program() { return program_; }
  void send(const Json& request) { program_.write_line(request.dump()); }
  // Sends a call and gives its answer: {"id":…,"result":…} or {"id":…,"error":…}.
  Json call(const std::string& tool, const Json& args, const std::string& session = "");
  // The answer with this id; what comes before it is kept in others(). Throws when it does not
  // come.
  Json answer(const Json& id);
  // The next line of any kind that answer() has not taken. Throws when none comes.
  Json next();
  // The next line that has this member ("event", "error", "reload", …).
  Json next_with(const std::string& member);
  // The event of this name, come already or still to come.
  Json event(const std::string& name);
  // Lines that nobody asked for yet, oldest first.
  std::vector<Json>& others() { return others_; }

 private:
  Json read();

  Program program_;
  std::vector<Json> others_;
  int last_id_ = 1000;
};

}  // namespace gibbous::testing
