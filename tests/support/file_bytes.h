// What the files of a journal hold, byte by byte: also what SQLite does not show any more.
#pragma once

#include <fstream>
#include <iterator>
#include <string>

namespace gibbous::testing {

// Returns true if `text` is anywhere in sessions.db, its log or its rollback journal.
inline bool journal_holds(const std::string& state_directory, const std::string& text) {
  for (const char* name : {"sessions.db", "sessions.db-wal", "sessions.db-journal"}) {
    std::ifstream file(state_directory + "/" + name, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    if (bytes.find(text) != std::string::npos) return true;
  }
  return false;
}

}  // namespace gibbous::testing
