// KeptFile: what a load made of files, kept in the state directory for the next process: the hashes
// of the files, and those that have run as bytecode. It counts only
// where nothing can differ: every file that was read has the same bytes, or was not touched since,
// and not for a minute before it was read; every file that was missing is missing; this very
// program and this very LuaJIT wrote it (their build ids), and for the same directories. It is
// signed with the key of the state directory, as approvals are, because it holds bytecode. A file
// with any fault is as good as none. Any thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bindings/lua/source/chunks.h"
#include "bindings/lua/source/source_file.h"

namespace gibbous::lua {

struct KeptPlace {
  std::string state_dir;  // "": nothing is kept
  std::string name;       // of the directories that were read: a few are kept
  std::string context;    // all that the result depends on besides the files
};

struct KeptFile {
  std::vector<KnownFile> files;  // the caller's to compare
  std::shared_ptr<const Chunks> chunks;
};

// Returns nothing where nothing that counts is kept.
std::optional<KeptFile> find_kept_file(const KeptPlace& place);
// Replaces what is kept there; says nothing when that fails.
void keep_file(const KeptPlace& place, const std::vector<KnownFile>& files, const Chunks& chunks);

}  // namespace gibbous::lua
