// Conversation: a `gibbous session` under test. Sends requests, finds the answer to each among the
// incoming lines, and keeps the rest. One thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "bindings/json/json.h"
#include "tests/support/program.h"

namespace gibbous::testing {

// Returns the path of this build's `gibbous`.
std::string command_path();

class Conversation {
 public:
  // `arguments` follow `gibbous session`.
  explicit Conversation(const std::vector<std::string>& arguments,
                        std::map<std::string, std::string> env = {});

  // A program that becomes a `gibbous session`.
  explicit Conversation(const ProgramSpec& spec) : program_(spec) {}

  Program& program() { return program_; }
  void send(const Json& request) { program_.write_line(request.dump()); }
  // Sends a call and returns its answer: {"id":…,"result":…} or {"id":…,"error":…}.
  Json call(const std::string& tool, const Json& args, const std::string& session = "");
  // Returns the answer with this id; others() keeps earlier lines. Throws if it does not come.
  Json answer(const Json& id);
  // Returns the next line of any kind that answer() has not taken. Throws if none comes.
  Json next();
  // Returns the next line that has this member ("event", "error", "reload", …).
  Json next_with(const std::string& member);
  // Returns the event of this name, past or future.
  Json event(const std::string& name);
  // Lines that no call has returned yet, oldest first.
  std::vector<Json>& others() { return others_; }

 private:
  Json read();

  Program program_;
  std::vector<Json> others_;
  int last_id_ = 1000;
};

}  // namespace gibbous::testing
