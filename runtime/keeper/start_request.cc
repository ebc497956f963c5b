// memfd_create(2) and its seals.
#include "runtime/keeper/start_request.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "runtime/keeper/end_record.h"
#include "runtime/keeper/wire.h"

namespace gibbous {
namespace {

bool has_nul(const std::string& text) {
  return text.find('\0') != std::string::npos;
}

bool sendable(const SandboxSpec& spec) {
  for (const auto* list :
       {&spec.read, &spec.write, &spec.unreadable, &spec.unwritable, &spec.pinned, &spec.occupied,
        &spec.claimed, &spec.shown, &spec.layered, &spec.shapes, &spec.visible, &spec.stand_ins}) {
    if (list->size() > kMaxSandboxPaths || std::any_of(list->begin(), list->end(), has_nul)) {
      return false;
    }
  }
  return !has_nul(spec.profile) && !has_nul(spec.network_group) && !has_nul(spec.temporary_group);
}

bool sendable(const EndPlace& place) {
  return !place.directory.empty() && !has_nul(place.directory) && can_have_end_record(place.run_id);
}

bool sendable(const CleanupCommand& cleanup) {
  return !cleanup.argv.empty() && !has_nul(cleanup.cwd) &&
         std::none_of(cleanup.argv.begin(), cleanup.argv.end(), has_nul) &&
         std::none_of(cleanup.env.begin(), cleanup.env.end(), has_nul);
}

std::size_t size_of(const CleanupCommand& cleanup) {
  std::size_t size = cleanup.cwd.size() + 1;
  for (const std::string& word : cleanup.argv) size += word.size() + 1;
  for (const std::string& variable : cleanup.env) size += variable.size() + 1;
  return size;
}

}  // namespace

int start_request_error(const StartRequest& request) {
  if (request.argv.empty() || request.limits.size() > wire::kMaxLimits || has_nul(request.cwd) ||
      std::any_of(request.argv.begin(), request.argv.end(), has_nul) ||
      std::any_of(request.env.begin(), request.env.end(), has_nul) ||
      (request.cleanup && !sendable(*request.cleanup)) ||
      (request.sandbox && !sendable(*request.sandbox)) ||
      (request.end_place && !sendable(*request.end_place)) ||
      (request.keep && (request.notes.size() > kMaxNotesBytes || has_nul(request.notes) ||
                        request.keep_directory.empty() || has_nul(request.keep_directory)))) {
    return EINVAL;
  }
  const bool too_large = (request.cleanup && size_of(*request.cleanup) > kMaxCleanupBytes) ||
                         request.argv.size() > wire::kMaxStrings ||
                         request.env.size() > wire::kMaxStrings ||
                         wire::strings_size(request) > wire::kMaxStartBytes;
  return too_large ? E2BIG : 0;
}

int start_strings_to_memfd(const StartRequest& request, UniqueFd& memfd) {
  wire::Buffer strings;
  strings.reserve(wire::strings_size(request));
  wire::append_strings(strings, request);
  memfd.reset(::memfd_create("gibbous-start", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memfd) return errno;
  for (std::size_t written = 0; written < strings.size();) {
    const ssize_t got = ::write(memfd.get(), strings.data() + written, strings.size() - written);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    written += static_cast<std::size_t>(got);
  }
  constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL;
  return ::fcntl(memfd.get(), F_ADD_SEALS, kSeals) == 0 ? 0 : errno;
}

}  // namespace gibbous
