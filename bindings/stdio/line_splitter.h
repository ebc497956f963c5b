// LineSplitter: splits bytes into lines that end with LF or CR LF. Blank lines are ignored. A line
// that is too long is reported once and skipped. Fed from the loop of a front end; one thread.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace gibbous::stdio {

// The limit of the official MCP clients' read buffers; one message is one line.
inline constexpr std::size_t kMaxLineBytes = std::size_t{10} * 1024 * 1024;

class LineSplitter {
 public:
  struct Handlers {
    // The line without its end; valid during the call only.
    std::function<void(std::string_view line)> on_line;
    std::function<void()> on_oversized;
  };

  explicit LineSplitter(Handlers handlers, std::size_t max_line_bytes = kMaxLineBytes);

  // Takes the next bytes of the input, cut anywhere.
  void feed(std::string_view bytes);
  // The input has ended. A last line without LF counts, as in a text file.
  void finish();

 private:
  void emit(std::string_view line);
  void hold(std::string_view bytes);

  Handlers handlers_;
  std::size_t max_line_bytes_;
  std::string held_;       // the beginning of an unfinished line
  bool skipping_ = false;  // inside a line that is too long
};

}  // namespace gibbous::stdio
