// Finds the processes that hold the journal's lock, or have it open: their names, for messages, and
// whether the lock may be expected to be free soon. Reads /proc; any thread.
#pragma once

#include <set>
#include <string>

namespace gibbous {

// Returns "process 4711 (sqlite3)", or "" when no process is known to hold a lock for writing.
std::string holder_of_journal(const std::string& directory);

// Returns true while the process that holds the journal computes or waits for a disk, as it does in
// a commit on a slow one; false when it sleeps or is stopped, as one that keeps a transaction open
// does. When no other process holds it, true while a thread of this one waits for a disk, or one
// that works for the journal (kDiskThread) computes or waits for a processor.
bool is_journal_at_work(const std::string& directory);

// Returns the other processes that have the journal open, as far as this one can see them. In WAL
// mode, each of them is found; with a rollback journal, those that read or write at this moment.
std::set<long> users_of_journal(const std::string& directory);

// Returns "process 4711 (gibbous) and process 4713 (sqlite3)", the first few of them.
std::string names_of_processes(const std::set<long>& pids);

}  // namespace gibbous
