// LineSplitter: bytes in, lines out. A line is ended by LF or CR LF; blank lines mean nothing; a
// line that is too long is reported once and skipped, and the lines after it count again. Fed from
// the loop of a front end that reads lines; one thread.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace gibbous::stdio {

// The limit of the official MCP clients' own read buffers; one message is one line.
inline constexpr std::size_t kMaxLineBytes = std::size_t{10} * 1024 * 1024;

class LineSplitter {
 public:
  struct Handlers {
    // The line without its end. The view is valid during the call only.
    std::function<void(std::string_view line)> on_line;
    std::function<void()> on_oversized;
  };

  explicit LineSplitter(Handlers handlers, std::size_t max_line_bytes = kMaxLineBytes);

  // Takes bytes however they were cut.
  void feed(std::string_view bytes);
  // The input has ended: what is left counts as a line, as a last one without LF does in a text
  // file.
  void finish();

 private:
  void emit(std::string_view line);
  void hold(std::string_view bytes);

  Handlers handlers_;
  std::size_t max_line_bytes_;
  std::string held_;       // the start of a line whose end has not come
  bool skipping_ = false;  // inside a line that is too long
};

}  // namespace gibbous::stdio
