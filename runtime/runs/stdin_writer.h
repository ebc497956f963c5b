// StdinWriter: the library's end of a run's stdin. Queues bytes, writes what the pipe takes, and
// closes on request. Runs uses it. Loop thread only. Never lets SIGPIPE reach the host.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <string>

#include "gibbous/status.h"
#include "runtime/base/unique_fd.h"
#include "runtime/process/typed_line.h"

struct uv_loop_s;
struct uv_poll_s;

namespace gibbous {

inline constexpr std::size_t kMaxQueuedStdinBytes = std::size_t{16} << 20;

class StdinWriter {
 public:
  // `fd` is non-blocking. on_closed reports that either side has closed the pipe; it may come from
  // inside any other method. `terminal`: `fd` is the master of one.
  StdinWriter(uv_loop_s* loop, UniqueFd fd, bool terminal, std::function<void()> on_closed);
  ~StdinWriter();  // closes; writes still queued are answered with stdin_closed
  StdinWriter(const StdinWriter&) = delete;
  StdinWriter& operator=(const StdinWriter&) = delete;

  // Calls on_done when the pipe has taken all of it, maybe at once, or when it no longer can. Fails
  // with line_too_long, and writes nothing, when a terminal would cut one of its lines.
  void write(std::string bytes, std::function<void(Status)> on_done);
  void close_after_queued();
  std::size_t queued_bytes() const { return queued_bytes_; }
  bool open() const { return static_cast<bool>(fd_); }

 private:
  struct Chunk {
    std::string bytes;
    std::size_t written = 0;
    bool counted = false;  // by typed_
    std::function<void(Status)> on_done;
  };
  void flush();
  void finish(const Status& status);
  void poll_writable();
  void stop_polling();

  uv_loop_s* loop_;
  UniqueFd fd_;
  uv_poll_s* poll_ = nullptr;       // only while the pipe is full; its close callback frees it
  std::optional<TypedLine> typed_;  // into a terminal
  std::deque<Chunk> queue_;
  std::size_t queued_bytes_ = 0;
  bool closing_ = false;
  std::function<void()> on_closed_;
};

}  // namespace gibbous
