// The table of mounts, /proc/PID/mountinfo: one entry a line, with its escapes undone. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gibbous {

struct Mount {
  std::uint64_t id = 0;  // as statx(2) reports it
  std::string root;      // the mounted part of its file system
  std::string point;     // the mount point
  std::string type;      // of the file system
  std::string options;   // of the file system
};

// Skips invalid lines.
std::vector<Mount> parse_mounts(std::string_view mountinfo);
// Reads a small file of /proc whole; "" when it cannot be read.
std::string read_small_file(const char* path);
// Reads the mounts of this process.
std::vector<Mount> own_mounts();

}  // namespace gibbous
