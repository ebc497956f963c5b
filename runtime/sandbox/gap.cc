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

std::vector<std::string> landlock_gaps(std::uint32_t abi, SandboxNetwork network) {
  constexpr std::uint32_t kMove = 2;
  constexpr std::uint32_t kConnect = 4;
  constexpr std::uint32_t kScope = 6;
  std::vector<std::string> gaps;
  const auto report = [&](const char* what, std::uint32_t needed) {
    if (abi >= needed) return;
    gaps.push_back(std::string(what) + ": changing that needs Landlock ABI " +
                   std::to_string(needed) + ", this kernel has " + std::to_string(abi));
  };
  report("processes outside can be signalled", kScope);
  if (network == SandboxNetwork::kChecked) {
    report("a second thread can connect to this machine's services", kConnect);
  }
  if (network <= SandboxNetwork::kChecked) {
    report("abstract unix sockets outside can be connected to", kScope);
  }
  // Errs on the side of refusing too much.
  report("files cannot be moved between directories", kMove);
  return gaps;
}

}  // namespace gibbous
