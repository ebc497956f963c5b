// What the file system of a path can do. Any thread.
#pragma once

#include <string>

namespace gibbous {

struct FileSystem {
  std::string name;             // "nfs"; "" when it is an ordinary local one
  bool shares_memory = true;    // between all processes that may have a file open
  bool reports_changes = true;  // all of them, to inotify
  bool is_read_only = false;
};

// Judges a type of statfs(2).
FileSystem file_system_of_type(long type);
// Judges the file system of a path; one that cannot be asked counts as ordinary.
FileSystem file_system_of(const std::string& path);

}  // namespace gibbous
