#include "bindings/lua/source/chunks.h"

#include <unistd.h>

#include <cerrno>

#include "runtime/base/sha256.h"

namespace gibbous::lua {

std::string Chunks::bytes_of(const Chunk& chunk) const {
  std::string bytes;
  if (!file) {
    if (chunk.begin <= memory.size()) bytes = memory.substr(chunk.begin, chunk.size);
  } else {
    bytes.resize(chunk.size);
    std::size_t got = 0;
    while (got < bytes.size()) {
      const auto place = static_cast<off_t>(chunk.begin + got);
      const ssize_t count = ::pread(file.get(), bytes.data() + got, bytes.size() - got, place);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return "";
      got += static_cast<std::size_t>(count);
    }
  }
  return sha256_hex(bytes) == chunk.hash ? bytes : "";
}

}  // namespace gibbous::lua
