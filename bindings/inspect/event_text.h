// An event or a state change of a run, as parts of a line that can be coloured, or as JSON. Pure
// except for the time zone; any thread.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/journal/record.h"

namespace gibbous::inspect {

// How good the news is.
enum class Grade : std::uint8_t { kPlain, kGood, kBad, kWarning };

struct EventText {
  std::string name;    // "ready", or the state: "completed"
  std::string detail;  // from its meta: the line that matched, the reason, the exit code
  Grade grade = Grade::kPlain;
};

// Both parts are printable.
EventText event_text(const StoredItem& item);
Grade grade_of_state(const std::string& state);

// {"at":...,"run":"...","session":"...","seq":4,"type":"event","event":"ready","meta":{...}}
std::string event_json(const std::string& run_id, const std::string& session_id,
                       const StoredItem& item);

}  // namespace gibbous::inspect
