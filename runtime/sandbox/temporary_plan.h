// What a run sees where it has the temporary directories of a session: those, and in them what of
// the machine's it works with. For prepare.cc.
#pragma once

#include <string>
#include <vector>

#include "gibbous/status.h"
#include "runtime/sandbox/sandbox.h"
#include "runtime/sandbox/temporary.h"

namespace gibbous {

struct TemporaryPlan {
  struct Mounted {
    const TemporaryDirectory* directory = nullptr;  // of the group that `hold` keeps
    bool writable = false;
  };
  std::vector<Mounted> mounted;
  // The machine's, which may be read there. What may be written is in the write trees.
  std::vector<ResolvedPath> shown;
  // Where other runs of the group have something mounted: while this one runs, it can neither move
  // nor remove these directories and files, parents first. They may be gone before it begins.
  std::vector<std::string> kept;
  TemporaryHold hold;

  // Returns true for what is absent: in one of the directories, and neither shown nor in `write`.
  bool is_absent(const std::string& path, std::span<const ResolvedPath> write) const;
};

// `write`: the resolved write trees; leaves those that stay the machine's, and adds what is shown
// and may be written. `gaps` gets sentences about what could not be had.
Result<TemporaryPlan> plan_temporary(const SandboxSpec& spec, const SandboxStart& start,
                                     std::vector<ResolvedPath>& write,
                                     std::vector<std::string>& gaps);

// For a run outside, whose words name what only the group has: gives that its name on the machine,
// for as long as the hold is kept.
TemporaryHold link_temporary(const std::string& group, const SandboxStart& start);

}  // namespace gibbous
