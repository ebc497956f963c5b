// See journal_watch.h.
#include "bindings/inspect/journal_watch.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "runtime/base/file_system.h"

namespace gibbous::inspect {

// The directory is watched instead of the files, because a repair replaces them.
std::optional<JournalWatch> JournalWatch::create(const std::string& directory) {
  if (!file_system_of(directory).shares_memory) return std::nullopt;
  UniqueFd fd(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!fd) return std::nullopt;
  const auto changes = IN_MODIFY | IN_CREATE | IN_MOVED_TO;
  if (::inotify_add_watch(fd.get(), directory.c_str(), changes) < 0) return std::nullopt;
  return JournalWatch(std::move(fd));
}

void JournalWatch::drain() {
  std::array<char, 4096> reports;
  while (::read(fd_.get(), reports.data(), reports.size()) > 0) {
  }
}

}  // namespace gibbous::inspect
