// Snapshot: the files of one load, each read once and kept, so that a load sees one state of the
// directory. still_true() says whether anything changed meanwhile; the load then starts again. Loop
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bindings/lua/source/memory_files.h"
#include "bindings/lua/source/source_file.h"
#include "gibbous/status.h"

namespace gibbous::lua {

inline constexpr std::size_t kMaxSourceBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMaxSourceFiles = 1000;

class Snapshot {
 public:
  // Finds files in memory there. They never change.
  explicit Snapshot(std::vector<const MemoryFiles*> memory = {}) : memory_(std::move(memory)) {}

  // Reads `path`, or returns what was read before. Null without a fault when there is no such file.
  // Faults (code load_failed, a message without the path): not a regular file, too large,
  // unreadable, too many files.
  Result<const SourceFile*> read(const std::string& path);
  // Returns the file as it was read, or null.
  const SourceFile* known(const std::string& path) const;
  // Returns true when everything that was read, and everything that was missing, still looks the
  // same.
  bool still_true() const;

  std::vector<SourceFile> files() const;
  std::vector<MonitoredFile> watched() const;

 private:
  const SourceFile* keep(SourceFile file);
  const SourceFile* read_memory(const std::string& path);

  std::vector<const MemoryFiles*> memory_;
  std::deque<SourceFile> files_;                      // addresses stay
  std::map<std::string, const SourceFile*> by_path_;  // null: it was missing
  std::map<std::string, FileStamp> stamps_;
  std::vector<std::string> unreadable_;
};

// Reads a regular file of at most kMaxSourceBytes, while it does not change. `stamp` identifies its
// state; a missing file is ok, with stamp->exists false.
Status read_source(const std::string& path, std::string* text, FileStamp* stamp);
// Returns the current MonitoredFile::hash of `path`, and its text.
std::string hash_of_file(const std::string& path, std::string* text = nullptr);

}  // namespace gibbous::lua
