// The sessions that the journal knows, as `gibbous sessions` lists them. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bindings/json/json.h"
#include "runtime/journal/journal_reader.h"

namespace gibbous::inspect {

struct SessionSummary {
  std::string name;       // as `gibbous report` takes it
  std::string program;    // "claude" of "claude@/home/ann/shop"; "" of a session that was named
  std::string workspace;  // of its newest run
  std::vector<std::string> labels;  // of its runs, each once, newest first
  std::size_t runs = 0;
  std::size_t running = 0;         // those that have not ended
  std::int64_t last_activity = 0;  // Unix milliseconds
};

// Returns the sessions of the workspace around `directory` first, then the most recently active
// ones.
Result<std::vector<SessionSummary>> list_sessions(JournalReader& reader,
                                                  const std::string& directory);

// Returns the session that a name means which `gibbous ps` shows: its own, also without its
// workspace (one of the workspace around `directory` first), that of a run or a label, or a
// workspace; "-" is the one without a name.
Result<std::string> find_session(JournalReader& reader, const std::string& name,
                                 const std::string& directory);

OrderedJson session_json(const SessionSummary& session);

}  // namespace gibbous::inspect
