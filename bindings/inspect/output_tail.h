// OutputTail: the last lines of a run's output, stdout and stderr in the order in which their lines
// ended, within a limit of bytes, whatever goes through. One run, one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "runtime/journal/record.h"

namespace gibbous::inspect {

struct OutputLine {
  enum class Kind : std::uint8_t { kOut, kError, kNote };
  Kind kind = Kind::kOut;
  std::string text;  // raw, without the line end
};

class OutputTail {
 public:
  explicit OutputTail(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  // Output and notes; anything else is passed over.
  void add(const StoredItem& item);
  // Nothing more comes: what has no line end is a line, too.
  void finish();

  const std::deque<OutputLine>& lines() const { return lines_; }
  std::uint64_t left_out() const { return left_out_; }  // lines before them
  // The line that stdout is in, as far as it has come.
  const std::string& open_line() const { return partial_.front().text; }

 private:
  struct Partial {
    std::string text;
    bool is_cut = false;
  };
  void add_output(OutputLine::Kind kind, std::string_view bytes);
  void extend(Partial& partial, std::string_view bytes);
  void push(OutputLine::Kind kind, std::string text);

  std::size_t max_bytes_;
  std::size_t bytes_ = 0;
  std::deque<OutputLine> lines_;
  std::array<Partial, 2> partial_;  // of stdout or the terminal, of stderr
  std::uint64_t left_out_ = 0;
};

}  // namespace gibbous::inspect
