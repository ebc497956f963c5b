// AskWatch: says at once when a question has been answered, by what the kernel reports of the
// directory of the questions. Where it reports nothing (a network file system, too many watches),
// OpenAsks looks often instead. Loop thread only.
#pragma once

#include <functional>
#include <string>

struct uv_loop_s;

namespace gibbous::host {

class AskWatch {
 public:
  // `on_answer` is called from the loop, and not after stop().
  AskWatch(uv_loop_s* loop, std::function<void()> on_answer);
  ~AskWatch();
  AskWatch(const AskWatch&) = delete;
  AskWatch& operator=(const AskWatch&) = delete;

  // Watches a directory that exists. False: its changes are not reported.
  bool start(const std::string& directory);
  void stop();

 private:
  struct Handle;
  uv_loop_s* loop_;
  std::function<void()> on_answer_;
  Handle* handle_ = nullptr;  // frees itself once it is closed
};

}  // namespace gibbous::host
