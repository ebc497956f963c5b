// Chunks: compiled files of scripts or policies, in memory or in a file that is kept. Immutable
// once made; any thread.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "runtime/base/unique_fd.h"

namespace gibbous::lua {

// They are many bytes, of which few are needed: what is kept stays in its file.
struct Chunks {
  struct Chunk {
    std::string hash;       // of its bytes, which count only if it is right
    std::size_t begin = 0;  // in `memory`, or in the file
    std::size_t size = 0;
  };
  std::string memory;
  UniqueFd file;  // instead of `memory`
  std::map<std::string, Chunk> by_path;

  // Returns "" for what is not as it was.
  std::string bytes_of(const Chunk& chunk) const;
};

}  // namespace gibbous::lua
