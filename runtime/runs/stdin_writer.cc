// Uses write(2) with SIGPIPE blocked during the call, and uv_poll while the pipe is full.
#include "runtime/runs/stdin_writer.h"

#include <signal.h>
#include <unistd.h>
#include <uv.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

namespace gibbous {
namespace {

// A child that closed its stdin must not end the host: this blocks SIGPIPE in this thread for one
// write, consumes the one that the write caused, and restores the mask.
ssize_t write_without_sigpipe(int fd, const char* bytes, std::size_t count) {
  sigset_t pipe_set;
  sigset_t old_set;
  sigset_t pending;
  sigemptyset(&pipe_set);
  sigaddset(&pipe_set, SIGPIPE);
  sigpending(&pending);
  const bool was_pending = sigismember(&pending, SIGPIPE) == 1;
  pthread_sigmask(SIG_BLOCK, &pipe_set, &old_set);
  const ssize_t written = ::write(fd, bytes, count);
  const int error = errno;
  if (written < 0 && error == EPIPE && !was_pending) {
    const timespec at_once{};
    while (sigtimedwait(&pipe_set, nullptr, &at_once) < 0 && errno == EINTR) {
    }
  }
  pthread_sigmask(SIG_SETMASK, &old_set, nullptr);
  errno = error;
  return written;
}

Status closed_status(const char* why) {
  return Status::error("stdin_closed", std::string("The run's stdin is closed: ") + why + ".");
}

Status line_too_long(std::size_t bytes) {
  return Status::error(
      "line_too_long",
      "Nothing was typed: its line would have " + std::to_string(bytes) +
          " bytes, with those that were typed before, and while no program of the run reads single "
          "keys its terminal cuts a line after " +
          std::to_string(kMaxTypedLine) +
          " bytes. Type less at a time, or put it into a file and type its name.");
}

}  // namespace

StdinWriter::StdinWriter(uv_loop_s* loop, UniqueFd fd, bool terminal,
                         std::function<void()> on_closed)
    : loop_(loop), fd_(std::move(fd)), on_closed_(std::move(on_closed)) {
  if (terminal) typed_.emplace();
}

StdinWriter::~StdinWriter() {
  on_closed_ = nullptr;
  finish(closed_status("the run is over"));
}

void StdinWriter::write(std::string bytes, std::function<void(Status)> on_done) {
  if (!fd_ || closing_) {
    on_done(
        closed_status(closing_ ? "it was closed by close_stdin" : "no process reads it any more"));
    return;
  }
  if (queued_bytes_ + bytes.size() > kMaxQueuedStdinBytes) {
    on_done(Status::error("stdin_full",
                          "More than 16 MiB of input is waiting for the run to read; wait for "
                          "earlier writes to finish before writing more."));
    return;
  }
  queued_bytes_ += bytes.size();
  queue_.push_back({std::move(bytes), 0, false, std::move(on_done)});
  if (poll_ == nullptr) flush();
}

void StdinWriter::close_after_queued() {
  closing_ = true;
  if (queue_.empty()) finish(Status());
}

void StdinWriter::flush() {
  while (fd_ && !queue_.empty()) {
    Chunk& chunk = queue_.front();
    const bool counted = std::exchange(chunk.counted, true);
    const std::size_t cut = typed_ && !counted ? typed_->type(fd_.get(), chunk.bytes) : 0;
    while (cut == 0 && chunk.written < chunk.bytes.size()) {
      const ssize_t count = write_without_sigpipe(fd_.get(), chunk.bytes.data() + chunk.written,
                                                  chunk.bytes.size() - chunk.written);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && errno == EAGAIN) {
        poll_writable();
        return;
      }
      if (count < 0) {
        // EIO: no process has the terminal open.
        const bool unread = errno == EPIPE || errno == EIO;
        finish(closed_status(unread ? "no process reads it any more" : std::strerror(errno)));
        return;
      }
      chunk.written += static_cast<std::size_t>(count);
    }
    queued_bytes_ -= chunk.bytes.size();
    const auto on_done = std::move(chunk.on_done);
    queue_.pop_front();
    on_done(cut == 0 ? Status() : line_too_long(cut));
  }
  stop_polling();
  if (closing_ && queue_.empty()) finish(Status());
}

void StdinWriter::finish(const Status& status) {
  stop_polling();
  const bool was_open = static_cast<bool>(fd_);
  fd_.reset();
  queued_bytes_ = 0;
  auto queue = std::exchange(queue_, {});
  for (Chunk& chunk : queue) {
    chunk.on_done(status.ok() ? closed_status("it was closed by close_stdin") : status);
  }
  if (was_open && on_closed_) on_closed_();
}

void StdinWriter::poll_writable() {
  if (poll_ != nullptr) return;
  poll_ = new uv_poll_t;
  poll_->data = this;
  if (uv_poll_init(loop_, poll_, fd_.get()) != 0) {
    delete std::exchange(poll_, nullptr);
    finish(closed_status("it cannot be polled"));
    return;
  }
  uv_unref(reinterpret_cast<uv_handle_t*>(poll_));
  uv_poll_start(poll_, UV_WRITABLE, [](uv_poll_t* poll, int, int) noexcept {
    static_cast<StdinWriter*>(poll->data)->flush();
  });
}

void StdinWriter::stop_polling() {
  if (poll_ == nullptr) return;
  uv_poll_stop(poll_);
  uv_close(reinterpret_cast<uv_handle_t*>(std::exchange(poll_, nullptr)),
           [](uv_handle_t* handle) noexcept { delete reinterpret_cast<uv_poll_t*>(handle); });
}

}  // namespace gibbous
