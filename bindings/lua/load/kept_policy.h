// KeptPolicy: what was read of a policy, kept in the state directory (kept_file.h), so that the
// next process need not compile, run, read and test the same files again. Any thread.
#pragma once

#include <optional>
#include <vector>

#include "bindings/lua/load/kept_file.h"
#include "bindings/lua/policy/read_policy.h"

namespace gibbous::lua {

struct KeptPolicy {
  std::vector<KnownFile> files;
  ReadPolicy read;
};

// Returns nothing where nothing that counts is kept. The files are the caller's to compare.
std::optional<KeptPolicy> find_kept_policy(const KeptPlace& place);
// Replaces what is kept there; says nothing when that fails.
void keep_policy(const KeptPlace& place, const KeptPolicy& policy);

}  // namespace gibbous::lua
