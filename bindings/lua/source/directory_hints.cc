#include "bindings/lua/source/directory_hints.h"

#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <utility>

namespace gibbous::lua {
namespace {

constexpr std::uint32_t kAppears = IN_CREATE | IN_MOVED_TO;
// A file that is there may also go, or be written: the end of that is told, not each write.
constexpr std::uint32_t kChanges = IN_CLOSE_WRITE | IN_MOVED_FROM | IN_DELETE;
constexpr std::uint32_t kDirectoryGoes = IN_MOVE_SELF | IN_DELETE_SELF;
constexpr std::uint32_t kLost = kDirectoryGoes | IN_IGNORED | IN_UNMOUNT;
constexpr std::size_t kEventBytes = 16 * 1024;

}  // namespace

DirectoryHints::DirectoryHints(uv_loop_t* loop, std::function<void()> on_hint)
    : loop_(loop), on_hint_(std::move(on_hint)) {}

DirectoryHints::~DirectoryHints() {
  if (fd_ >= 0) ::close(fd_);
}

bool DirectoryHints::open() {
  if (fd_ >= 0) return true;
  fd_ = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (fd_ < 0) return false;
  if (uv_poll_init(loop_, &poll_, fd_) != 0) {
    ::close(std::exchange(fd_, -1));
    return false;
  }
  poll_.data = this;
  uv_unref(reinterpret_cast<uv_handle_t*>(&poll_));
  return uv_poll_start(&poll_, UV_READABLE, on_readable) == 0;
}

bool DirectoryHints::add(const std::string& directory, const std::set<std::string>& names) {
  if (!open()) return false;
  const bool any_exists = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    struct stat there {};
    return ::lstat((directory + "/" + name).c_str(), &there) == 0;
  });
  const std::uint32_t mask = kAppears | (any_exists ? kChanges : 0U) | kDirectoryGoes |
                             IN_EXCL_UNLINK | IN_ONLYDIR | IN_MASK_ADD;
  const int watch = ::inotify_add_watch(fd_, directory.c_str(), mask);
  if (watch < 0) return false;
  Place& place = places_[watch];
  place.names.insert(names.begin(), names.end());
  place.directories.insert(directory);
  watches_[directory] = watch;
  return true;
}

bool DirectoryHints::has(const std::string& directory, const std::set<std::string>& names) const {
  const auto known = watches_.find(directory);
  if (known == watches_.end()) return false;
  const std::set<std::string>& all = places_.at(known->second).names;
  return std::includes(all.begin(), all.end(), names.begin(), names.end());
}

void DirectoryHints::clear() {
  for (const auto& [watch, place] : places_) (void)::inotify_rm_watch(fd_, watch);
  places_.clear();
  watches_.clear();
}

void DirectoryHints::close(std::function<void()> on_closed) {
  clear();
  if (fd_ < 0) return on_closed();
  on_closed_ = std::move(on_closed);
  uv_close(reinterpret_cast<uv_handle_t*>(&poll_), [](uv_handle_t* handle) noexcept {
    auto* self = static_cast<DirectoryHints*>(handle->data);
    const auto done = std::move(self->on_closed_);
    done();  // may delete it
  });
}

void DirectoryHints::on_readable(uv_poll_t* poll, int status, int) noexcept {
  auto* self = static_cast<DirectoryHints*>(poll->data);
  if (status == 0) self->take();
}

void DirectoryHints::take() {
  alignas(inotify_event) std::array<char, kEventBytes> bytes{};
  bool hint = false;
  ssize_t got = 0;
  while ((got = ::read(fd_, bytes.data(), bytes.size())) > 0) {
    for (std::size_t at = 0; at + sizeof(inotify_event) <= static_cast<std::size_t>(got);) {
      inotify_event event{};
      std::memcpy(&event, bytes.data() + at, sizeof event);
      const char* name = event.len > 0 ? bytes.data() + at + sizeof event : nullptr;
      hint = is_hint(event.wd, event.mask, name) || hint;
      at += sizeof event + event.len;
    }
  }
  if (hint) on_hint_();
}

bool DirectoryHints::is_hint(int watch, unsigned mask, const char* name) {
  if ((mask & IN_Q_OVERFLOW) != 0) return true;
  const auto found = places_.find(watch);
  if (found == places_.end()) return false;  // one that was removed
  if ((mask & kLost) == 0) return name == nullptr || found->second.names.contains(name);
  // A renamed directory would be watched under its old name.
  if ((mask & IN_IGNORED) == 0) (void)::inotify_rm_watch(fd_, watch);
  for (const std::string& directory : found->second.directories) watches_.erase(directory);
  places_.erase(found);
  return true;
}

}  // namespace gibbous::lua
