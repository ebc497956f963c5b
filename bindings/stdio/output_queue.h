// OutputQueue: writes lines to a descriptor without blocking, and without changing the descriptor's
// flags, which other processes may share (the shell shares its terminal). Front ends use it for
// stdout and stderr. Loop thread only.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "runtime/base/unique_fd.h"

namespace gibbous::stdio {

class OutputQueue {
 public:
  // `fd` is borrowed and must outlive this. The program must ignore or block SIGPIPE.
  explicit OutputQueue(int fd);

  // Adds a line and its end.
  void push(std::string_view line);
  // Writes as much as possible without blocking.
  void flush();

  std::size_t pending_bytes() const { return bytes_.size() - written_; }
  // The reader has gone, so nothing can be written.
  bool broken() const { return broken_; }
  int fd() const { return fd_; }

 private:
  // Returns the number of bytes written, or -1 when the reader has gone.
  long write_some(std::string_view bytes);

  int fd_;
  bool is_socket_ = false;
  UniqueFd own_;  // the same pipe, opened again for an O_NONBLOCK of its own
  bool broken_ = false;
  std::string bytes_;
  std::size_t written_ = 0;  // of bytes_
};

}  // namespace gibbous::stdio
