// The table of mounts, /proc/PID/mountinfo: one entry a line, with its escapes undone. Any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gibbous {

struct Mount {
  std::string root;     // what of its file system is mounted
  std::string point;    // where
  std::string type;     // of the file system
  std::string options;  // of the file system
};

// Lines that are none are left out.
std::vector<Mount> parse_mounts(std::string_view mountinfo);
// A whole small file of /proc; "" when it cannot be read.
std::string read_small_file(const char* path);
// Of this process.
std::vector<Mount> own_mounts();

}  // namespace gibbous
