// Names of sessions. Pure, any thread.
#pragma once

#include <string>

namespace gibbous {

// A session that one process owns (runtime/queue/session_claim.h) has an @ in its name; the others
// are names that a host gave.
inline bool is_claimed_session(const std::string& name) {
  return name.find('@') != std::string::npos;
}

}  // namespace gibbous
