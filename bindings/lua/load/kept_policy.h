// KeptPolicy: what was read of a policy, kept in the state directory, so that the next process need
// not compile, run, read and test the same files again. It counts only where nothing can differ:
// every file that was read has the same bytes, or was not touched since, and not for a minute
// before it was read; every file that was missing is missing; this very program and this very
// LuaJIT wrote it (their build ids), and for the same directories. It is signed with the key of the
// state directory, as approvals are, because it holds bytecode and verdicts. A file with any fault
// is as good as none. Any thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bindings/lua/policy/read_policy.h"
#include "bindings/lua/source/source_file.h"

namespace gibbous::lua {

struct KeptPolicy {
  std::vector<KnownFile> files;
  ReadPolicy read;
};

// The place of one policy.
struct KeptPlace {
  std::string state_dir;  // "": nothing is kept
  std::string name;       // of the directories: a few of each are kept
  std::string context;    // all that the result depends on besides the files
};

// Returns nothing where nothing that counts is kept. The files are the caller's to compare.
std::optional<KeptPolicy> find_kept_policy(const KeptPlace& place);
// Replaces what is kept there; says nothing when that fails.
void keep_policy(const KeptPlace& place, const KeptPolicy& policy);

}  // namespace gibbous::lua
