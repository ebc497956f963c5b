// A file of scripts or policies: what was read of it, and what the watcher compares. Plain data.
#pragma once

#include <string>

namespace gibbous::lua {

// One file as it was read; the watcher compares it with what lies there.
struct SourceFile {
  std::string path;
  std::string text;
  std::string hash;
};

// What the file watcher compares with what lies there now.
struct WatchedFile {
  std::string path;
  std::string
      hash;  // of what was read; "" when there was no such file, and one would change the load
};

}  // namespace gibbous::lua
