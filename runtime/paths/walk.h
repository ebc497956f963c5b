// Resolves paths as the kernel does, and on request without waiting for a file system that might
// not answer. Any thread.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/base/unique_fd.h"

namespace gibbous::paths {

class MountTable;  // mount_types.h

enum class Reached : std::uint8_t {
  kFound,    // the path exists
  kMissing,  // it does not, or may not be looked up: `error`
  kDoubtful  // only a file system that may not answer knows
};

struct Walked {
  Reached reached = Reached::kMissing;
  // The path with the links of its existing part resolved, normalised. Of a doubtful path: as far
  // as it could be resolved, and the rest as written.
  std::string real;
  int error = 0;  // errno: why it counts as missing
  // The mount that it is on, or that was to be asked, as statx(2) reports it; 0: not looked at.
  std::uint64_t mount = 0;
};

// `absolute` begins with "/". With `mounts`, only local ones are asked, and others as far as this
// kernel remembers their answers; without, the call takes as long as they take.
Walked walk(const std::string& absolute, const MountTable* mounts);

// Whether what is at the path can be asked for without waiting for another machine; reads the
// mounts anew.
bool answers_at_once(const std::string& absolute);
bool answers_at_once(const std::string& absolute, const MountTable& mounts);

// Returns walk(absolute, nullptr).real: waits for every file system.
std::string real_path(const std::string& absolute);

}  // namespace gibbous::paths
