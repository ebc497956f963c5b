// Snapshot: the files of one load, each read once and kept, so that a load sees one state of the
// directory. still_true() says whether anything changed meanwhile; the load then starts again. Loop
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings/lua/source/memory_files.h"
#include "bindings/lua/source/source_file.h"
#include "gibbous/status.h"
#include "runtime/paths/mount_types.h"

namespace gibbous::lua {

inline constexpr std::size_t kMaxSourceBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMaxSourceFiles = 1000;

class Snapshot {
 public:
  // Finds files in memory there. They never change. A text that is among `compiled`, which may be
  // null, is not held twice.
  explicit Snapshot(std::vector<const MemoryFiles*> memory = {},
                    const CompiledTexts* compiled = nullptr)
      : memory_(std::move(memory)), compiled_(compiled) {}
  // Reads `path`, or returns what was read before. Null without a fault when there is no such file.
  // Faults (code load_failed, a message without the path): not a regular file, too large,
  // unreadable, too many files; code path_unanswered: its file system does not answer.
  Result<const SourceFile*> read(const std::string& path);
  // Returns the paths of all source files below a directory, in order, or those in memory.
  std::vector<std::string> sources_below(const std::string& directory) const;
  // Does `work`, which looks at `path` and owns what it uses. False when its file system does not
  // answer, from then on for every other one, too: the load has failed.
  bool reach(const std::string& path, std::function<void()> work) const;
  // The path that was not answered, or "".
  const std::string& unanswered() const { return unanswered_; }
  // Returns the file as it was read, or null.
  const SourceFile* known(const std::string& path) const;
  // Returns true when everything that was read, and everything that was missing, still looks the
  // same.
  bool still_true() const;

  // Calls `each` with every path that was read, and the hash of the file; "": it was missing.
  void each_path(const std::function<void(const std::string&, const std::string&)>& each) const;

  const std::list<SourceFile>& files() const { return files_; }
  std::vector<MonitoredFile> watched() const;

 private:
  FileStamp stamp_of(const std::string& path) const;
  struct Read;
  const SourceFile* keep(const std::string& path, std::string_view text);
  const SourceFile* read_memory(const std::string& path);

  std::vector<const MemoryFiles*> memory_;
  const CompiledTexts* compiled_;
  std::list<std::string> texts_;  // of files on the disk that the build does not have
  std::shared_ptr<paths::MountTypes> mounts_ = paths::MountTypes::of_process();
  mutable std::string unanswered_;
  std::list<SourceFile> files_;                       // addresses stay
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
