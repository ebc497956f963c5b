// Where `gibbous logs` begins. Reads the journal; the reader's thread.
#pragma once

#include <cstdint>

#include "bindings/inspect/log_text.h"
#include "runtime/journal/journal_reader.h"

namespace gibbous::inspect {

struct LogStart {
  std::uint64_t since_seq = 0;   // items above it
  std::uint64_t skip_lines = 0;  // of the output in them
};

// The items from this Unix millisecond on: about 32 look-ups, whatever the size.
Result<LogStart> start_at_time(JournalReader& reader, const RunRecord& run, std::int64_t at);

// The last `lines` lines of output; what has no line end yet counts as one. Reads what it shows
// and up to eight times as much before it.
Result<LogStart> start_of_tail(JournalReader& reader, const RunRecord& run, std::uint64_t lines,
                               LogStreams streams);

}  // namespace gibbous::inspect
