// Loop: a libuv loop for tests that wait for events: runs until something is true or a deadline
// passes.
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
  // Runs what is left until every handle is closed; aborts when one was forgotten.
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  uv_loop_t* get() { return &loop_; }
  // False when the deadline passed first.
  bool until(const std::function<bool()>& done, std::chrono::milliseconds limit = kPatience);
  // One turn without waiting, as a frame loop does it, whatever holds the loop open or not.
  void turn();
  // For what must NOT happen: runs the loop for so long.
  void run_for(std::chrono::milliseconds time);

 private:
  uv_loop_t loop_;
  uv_timer_t tick_;
};

// The directory of this test program, where fixtures and the keeper lie.
std::string program_directory();
std::string fixture(const std::string& name);  // path of fixture_NAME

// A fresh directory, removed with its content at the end.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  const std::string& path() const { return path_; }
  std::string write(const std::string& name, const std::string& text) const;  // gives the path

 private:
  std::string path_;
};

}  // namespace gibbous::testing
