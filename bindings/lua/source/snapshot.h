// Snapshot: the files of one load, each read once and kept, so that a load sees one state of the
// directory. still_true() says whether anything changed meanwhile; the load then starts again. Loop
// thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
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
  // Finds files in memory there. They never change.
  explicit Snapshot(std::vector<const MemoryFiles*> memory = {}) : memory_(std::move(memory)) {}
  // Returns an empty one for the same places.
  Snapshot beside() const {
    Snapshot made(memory_);
    made.mounts_ = mounts_;
    return made;
  }

  // Reads `path`, or returns what was read before. Null without a fault when there is no such file.
  // Faults (code load_failed, a message without the path): not a regular file, too large,
  // unreadable, too many files; code path_unanswered: its file system does not answer.
  Result<const SourceFile*> read(const std::string& path);
  // Compares files with what somebody knows of them. Takes them over if all are the same, without
  // their texts, which text_of() reads when they are needed.
  bool take_known(const std::vector<KnownFile>& files);
  // Returns the text of a file of this snapshot. Fails (load_failed) when it has changed since.
  Result<const std::string*> text_of(const SourceFile& file) const;
  // Does `work`, which looks at `path` and owns what it uses. False when its file system does not
  // answer, from then on for every other one, too: the load has failed.
  bool reach(const std::string& path, std::function<void()> work) const;
  // The path that was not answered, or "".
  const std::string& unanswered() const { return unanswered_; }
  // Returns the file as it was read, or null.
  const SourceFile* known(const std::string& path) const;
  // Returns the hash of a file that was looked at ("": it is missing), or nothing.
  std::optional<std::string> hash_of(const std::string& path) const;
  // Returns true when everything that was read, and everything that was missing, still looks the
  // same.
  bool still_true() const;

  // Takes over what another snapshot has read.
  void adopt(Snapshot&& other);
  // Returns true if the file was found in a state that was kept: not only its bytes, its owner and
  // its mode are those of that time, too.
  bool is_settled(const SourceFile& file) const { return settled_.count(&file) > 0; }
  // Calls `each` with every path that was read, and the hash of the file; "": it was missing.
  void each_path(const std::function<void(const std::string&, const std::string&)>& each) const;

  // Calls `each` with what is known of every path that was read; see settled_state().
  void each_known(std::chrono::nanoseconds began, std::chrono::nanoseconds old_enough,
                  const std::function<void(KnownFile)>& each) const;
  const std::list<SourceFile>& files() const { return files_; }  // see text_of()
  std::vector<MonitoredFile> watched() const;

 private:
  FileStamp stamp_of(const std::string& path) const;
  struct Read;
  Status read_from_disk(const std::string& path, std::shared_ptr<Read>* read) const;
  const SourceFile* keep(SourceFile file);
  const SourceFile* read_memory(const std::string& path);

  std::vector<const MemoryFiles*> memory_;
  std::shared_ptr<paths::MountTypes> mounts_ = paths::MountTypes::of_process();
  mutable std::string unanswered_;
  mutable std::list<SourceFile> files_;               // addresses stay
  mutable std::set<const SourceFile*> unread_;        // those of which only the hash is known
  std::set<const SourceFile*> settled_;               // those that are in a state that was kept
  mutable bool is_all_known_ = false;                 // nothing but what take_known() took
  mutable bool has_changed_ = false;                  // one of unread_, when its text was needed
  std::map<std::string, const SourceFile*> by_path_;  // null: it was missing
  std::map<std::string, FileStamp> stamps_;
  std::vector<std::string> unreadable_;
};

// Reads a regular file of at most kMaxSourceBytes, while it does not change. `stamp` identifies its
// state; a missing file is ok, with stamp->exists false.
Status read_source(const std::string& path, std::string* text, FileStamp* stamp);
// Returns the state of a file of which these bytes were read after `began` (Unix time), if whoever
// finds it in that state may rely on the bytes: the kernel's times are exact there, and they are
// old.
std::optional<FileState> settled_state(const std::string& path, const FileStamp& read,
                                       std::chrono::nanoseconds began,
                                       std::chrono::nanoseconds old_enough);
// Returns the current MonitoredFile::hash of `path`, and its text.
std::string hash_of_file(const std::string& path, std::string* text = nullptr);

}  // namespace gibbous::lua
