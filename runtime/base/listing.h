// Listing: the names in a directory, one after another, without "." and "..". One thread.
#pragma once

#include <dirent.h>
#include <fcntl.h>

#include <memory>
#include <string>
#include <string_view>

#include "runtime/base/unique_fd.h"

namespace gibbous {

class Listing {
 public:
  explicit Listing(const std::string& path) : stream_(::opendir(path.c_str())) {}
  // `directory` is open for reading.
  explicit Listing(UniqueFd directory)
      : stream_(directory ? ::fdopendir(directory.get()) : nullptr) {
    if (stream_) (void)directory.release();
  }

  // Lists this directory from its beginning, whatever was listed through the descriptor before.
  explicit Listing(int directory)
      : Listing(UniqueFd(::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC))) {}

  explicit operator bool() const { return static_cast<bool>(stream_); }
  int fd() const { return ::dirfd(stream_.get()); }
  // Null at the end, and where the directory cannot be listed.
  const dirent* next() {
    const dirent* entry = nullptr;
    do {
      entry = stream_ ? ::readdir(stream_.get()) : nullptr;
    } while (entry != nullptr && is_self_or_above(entry->d_name));
    return entry;
  }

 private:
  struct Close {
    void operator()(DIR* stream) const { ::closedir(stream); }
  };
  static bool is_self_or_above(std::string_view name) { return name == "." || name == ".."; }

  std::unique_ptr<DIR, Close> stream_;
};

}  // namespace gibbous
