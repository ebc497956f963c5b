// OutputTail: the last lines of a run within a limit of bytes, with stdout and stderr in the order
// in which their lines ended, and with their secrets redacted. One run, one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "bindings/inspect/secrets.h"
#include "runtime/journal/record.h"

namespace gibbous::inspect {

struct OutputLine {
  enum class Kind : std::uint8_t { kOut, kError, kNote };
  Kind kind = Kind::kOut;
  std::string text;  // with escape sequences, without the line end
};

class OutputTail {
 public:
  explicit OutputTail(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  // Redacts what comes from now on by the patterns of the run.
  void use(const Redaction& redaction);

  // Adds output and notes, and ignores other items.
  void add(const StoredItem& item);
  // Call it at the end: an unfinished line counts as a line.
  void finish();

  const std::deque<OutputLine>& lines() const { return lines_; }
  std::uint64_t left_out() const { return left_out_; }  // earlier lines
  // The unfinished line of stdout.
  std::string open_line() const;

 private:
  struct Partial {
    std::string text;
    bool is_cut = false;
    StreamRedactor redactor;
  };
  void add_output(OutputLine::Kind kind, std::string_view bytes);
  void extend(Partial& partial, std::string_view bytes);
  void end_line(OutputLine::Kind kind);
  void push(OutputLine::Kind kind, std::string text);

  std::size_t max_bytes_;
  Redaction redaction_;
  std::size_t bytes_ = 0;
  std::deque<OutputLine> lines_;
  std::array<Partial, 2> partial_;  // stdout or the terminal, then stderr
  std::uint64_t left_out_ = 0;
};

}  // namespace gibbous::inspect
