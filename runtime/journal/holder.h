// Names the process that holds the journal's lock, for messages. Reads /proc; any thread.
#pragma once

#include <string>

namespace gibbous {

// Returns "process 4711 (sqlite3)", or "" when no process is known to hold a lock for writing.
std::string holder_of_journal(const std::string& directory);

}  // namespace gibbous
