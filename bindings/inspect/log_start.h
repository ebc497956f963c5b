// Finds where `gibbous logs` begins. Reads the journal; the reader's thread.
#pragma once

#include <cstdint>

#include "bindings/inspect/log_text.h"
#include "runtime/journal/journal_reader.h"

namespace gibbous::inspect {

struct LogStart {
  std::uint64_t since_seq = 0;   // begin with the items above it
  std::uint64_t skip_lines = 0;  // lines of their output to skip
};

// Begins with the first item at or after `at` (Unix milliseconds). Takes about 32 reads.
Result<LogStart> start_at_time(JournalReader& reader, const RunRecord& run, std::int64_t at);

// Begins with the last `lines` lines of output; an unfinished line counts. Reads at most about
// eight times as much as it shows.
Result<LogStart> start_of_tail(JournalReader& reader, const RunRecord& run, std::uint64_t lines,
                               LogStreams streams);

}  // namespace gibbous::inspect
