// Removes secrets from output that leaves a session, as it arrives. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "bindings/host/redaction.h"

namespace gibbous::inspect {

enum class Secrets : std::uint8_t { kRedacted, kShown };

// StreamRedactor: redacts the output of one stream, piece by piece and line by line. A line with a
// secret loses its colours. One thread.
class StreamRedactor {
 public:
  // Counts from the unfinished line on. The record of a run that goes on may get more patterns.
  void use(Redaction redaction) { redaction_ = std::move(redaction); }
  // Returns the finished lines; '\n' and '\r' finish one. The rest waits for more, up to
  // kMaxHeldBytes.
  std::string feed(std::string_view text);
  // Returns the unfinished line as well, as far as it has come.
  std::string flush();

 private:
  std::string redact_line() const;
  void end_line();

  Redaction redaction_;
  std::string line_;             // the unfinished one
  std::string shown_;            // the part of it that flush() has returned, redacted
  std::size_t shown_bytes_ = 0;  // how much of line_ shown_ stands for
  bool in_key_ = false;          // between the first and the last line of a private key
};

inline constexpr std::size_t kMaxHeldBytes = std::size_t{8} << 10;

}  // namespace gibbous::inspect
