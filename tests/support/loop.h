// Loop: a libuv loop for tests that wait for events. It runs until a condition is true or a
// deadline passes.
#pragma once

#include <uv.h>

#include <chrono>
#include <functional>
#include <string>

namespace gibbous::testing {

// Longer than anything here takes on a loaded machine; passing tests never wait for it.
inline constexpr std::chrono::seconds kPatience{30};

class Loop {
 public:
  Loop();
  // Runs the loop until every handle is closed; aborts if one was forgotten.
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  uv_loop_t* get() { return &loop_; }
  // Returns false if the deadline passed first.
  bool until(const std::function<bool()>& done, std::chrono::milliseconds limit = kPatience);
  // Runs one turn without waiting, as a frame loop does, even if nothing holds the loop open.
  void turn();
  // Runs the loop for this time, for things that must NOT happen.
  void run_for(std::chrono::milliseconds time);

 private:
  uv_loop_t loop_;
  uv_timer_t tick_;
};

// Returns the directory of this test program, which also has the fixtures and the keeper.
std::string program_directory();
std::string fixture(const std::string& name);  // path of fixture_NAME

// A fresh directory, removed with its content at the end.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  const std::string& path() const { return path_; }
  std::string write(const std::string& name, const std::string& text) const;  // returns the path

 private:
  std::string path_;
};

}  // namespace gibbous::testing
