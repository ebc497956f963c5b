// OutputQueue: lines on their way to a file descriptor, written without ever blocking and without
// changing the descriptor's flags, which other processes may share (a terminal with the shell, for
// one). Used by front ends for standard output and standard error. Loop thread only.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "runtime/base/unique_fd.h"

namespace gibbous::stdio {

class OutputQueue {
 public:
  // `fd` is borrowed and must outlive this. SIGPIPE must be ignored or blocked by the program.
  explicit OutputQueue(int fd);

  // Adds a line; the end is added here.
  void push(std::string_view line);
  // Writes what can be written at once.
  void flush();

  std::size_t pending_bytes() const { return bytes_.size() - written_; }
  // The reader has gone; nothing can be written any more.
  bool broken() const { return broken_; }
  int fd() const { return fd_; }

 private:
  // Bytes written, 0 when nothing could be written now, -1 when the reader has gone.
  long write_some(std::string_view bytes);

  int fd_;
  bool is_socket_ = false;
  UniqueFd own_;  // the same pipe opened once more, so that O_NONBLOCK is ours alone
  bool broken_ = false;
  std::string bytes_;
  std::size_t written_ = 0;  // of bytes_
};

}  // namespace gibbous::stdio
