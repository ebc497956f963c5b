// An event or a state change of a run, as parts of a line that can be coloured, or as JSON, with
// its secrets redacted. Pure except for the time zone; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "bindings/host/redaction.h"
#include "runtime/journal/record.h"

namespace gibbous::inspect {

// Says whether the news is good or bad.
enum class Grade : std::uint8_t { kPlain, kGood, kBad, kWarning };

struct EventText {
  std::string name;    // "ready", or the state: "completed"
  std::string detail;  // from its meta: the line that matched, the reason, the exit code
  Grade grade = Grade::kPlain;
};

// Both parts are printable, and neither repeats the other.
EventText event_text(const StoredItem& item, const Redaction& redaction);
// Returns a reason without the words of the state beside which it stands: of "killed with SIGTERM",
// beside "killed", "SIGTERM"; of "exit code 0", beside "completed", nothing.
std::string reason_beside(std::string_view state, std::string reason);
Grade grade_of_state(const std::string& state);

// Returns true when the event says only that the run has started or ended, which the change of
// state before it, to `state`, already said.
bool repeats_state(const StoredItem& item, const std::string& state);

// {"at":...,"run":"...","session":"...","seq":4,"type":"event","event":"ready","meta":{...}}, and
// "queue" when the run belongs to a queue inside its session.
std::string event_json(const RunRecord& run, const StoredItem& item, const Redaction& redaction);

}  // namespace gibbous::inspect
