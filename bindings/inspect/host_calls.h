// Calls of tools that hosts carry out themselves, as `gibbous ps` shows them: a row of the table of
// runs, or JSON. One thread at a time for each reader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bindings/json/json.h"
#include "runtime/journal/journal_reader.h"

namespace gibbous::inspect {

inline constexpr std::size_t kMaxListedCalls = 1'000;
inline constexpr std::size_t kMaxEndedCalls = 200;

struct HostCall {
  HostCallRecord record;
  bool host_gone = false;  // it never ended, and its process has

  bool has_ended() const { return record.finished_at != 0; }
};

// Returns calls that go on, newest first, and with `all` behind them the newest that have ended. A
// call whose host has gone has ended. "" means every session. Sets `more` when some were left out.
Result<std::vector<HostCall>> host_calls(JournalReader& reader, const std::string& session,
                                         bool all, bool* more);

// The columns of run_headings(). `now`: Unix milliseconds.
std::vector<std::string> call_row(const HostCall& call, std::int64_t now);
OrderedJson call_json(const HostCall& call, std::int64_t now);

}  // namespace gibbous::inspect
