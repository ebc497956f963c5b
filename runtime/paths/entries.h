// What lies directly in a directory, for callers that have to know which of its names are links.
// Any thread.
#pragma once

#include <string>
#include <vector>

namespace gibbous::paths {

class MountTable;  // mount_types.h

struct Entry {
  std::string name;
  bool link = false;       // it may be one
  bool directory = false;  // it may be one
};

inline constexpr int kMaxEntries = 4096;

// Returns at most kMaxEntries of them, without "." and "..", in any order. Nothing when the
// directory cannot be read or, with `mounts`, when its file system may not answer.
std::vector<Entry> entries(const std::string& directory, const MountTable* mounts);

}  // namespace gibbous::paths
