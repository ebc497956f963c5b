// A file of scripts or policies: what was read of it, and what the monitor compares. Plain data.
#pragma once

#include <string>

namespace gibbous::lua {

// One file as it was read; the monitor compares it with the file on disk.
struct SourceFile {
  std::string path;
  std::string text;
  std::string hash;
};

// A file that the monitor compares with the one on disk.
struct MonitoredFile {
  std::string path;
  std::string hash;  // of what was read; "" when the file was missing and would change the load
};

}  // namespace gibbous::lua
