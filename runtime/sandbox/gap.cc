#include "runtime/sandbox/gap.h"

#include <cstddef>

namespace gibbous {

static constexpr std::size_t kMaxNamedBytes = 400;  // of paths, in one sentence

// The end of a path says more than its beginning.
std::string shortened(const std::string& path) {
  if (path.size() <= kMaxNamedBytes) return path;
  std::size_t from = path.size() - kMaxNamedBytes;
  constexpr int kContinuation = 0x80;
  constexpr int kContinuationMask = 0xC0;
  while (from < path.size() && (path[from] & kContinuationMask) == kContinuation) ++from;
  return "..." + path.substr(from);
}

std::string missing_sentence(const std::vector<std::string>& paths) {
  if (paths.size() == 1) return shortened(paths.front()) + " does not exist yet: it can be made";
  std::string names;
  std::size_t named = 0;
  for (const std::string& path : paths) {
    const std::string name = shortened(path);
    if (named > 0 && names.size() + name.size() > kMaxNamedBytes) break;
    names += (named++ > 0 ? ", " : "") + name;
  }
  const std::size_t more = paths.size() - named;
  return "do not exist yet and can be made: " + names +
         (more > 0 ? " ... and " + std::to_string(more) + " more" : "");
}

}  // namespace gibbous
