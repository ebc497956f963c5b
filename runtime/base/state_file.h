// Files in the state directory that several processes share, opened so that a link or another
// user's file is never used. Any thread.
#pragma once

#include <signal.h>
#include <sys/stat.h>

#include <optional>
#include <string>
#include <string_view>

#include "gibbous/status.h"
#include "runtime/base/unique_fd.h"

namespace gibbous {

inline constexpr mode_t kStateFileMode = 0600;

// Opens the directory if it belongs to this user and no other user may write to it. With `make`,
// creates it and its parents (0700). Fails with state_dir_missing or state_dir_unusable.
Result<UniqueFd> open_state_directory(const std::string& directory, bool make);

// Returns why such a file cannot be trusted; nullptr when it can.
const char* objection_to(const struct stat& file);

// Reads an open file from its beginning, but at most one byte more than `most`: then it has more.
// Nothing, with errno, when it cannot be read.
std::optional<std::string> read_whole(const UniqueFd& file, std::size_t most);
// Returns false with errno. Writes that would exceed RLIMIT_FSIZE fail with EFBIG.
bool write_whole(const UniqueFd& file, std::string_view text);

// One process holds it at a time, for a few system calls; destruction or the end of the process
// releases it.
class StateLock {
 public:
  // Waits a millisecond between tries. Fails with state_busy, or with state_file_unusable.
  static Result<StateLock> take(const UniqueFd& directory, const std::string& name, int tries);

 private:
  explicit StateLock(UniqueFd file) : file_(std::move(file)) {}
  UniqueFd file_;
};

// A write beyond RLIMIT_FSIZE must not kill the host: while this exists, this thread blocks SIGXFSZ
// and discards the one that a write caused. The write then fails with EFBIG.
class WithoutSizeSignal {
 public:
  WithoutSizeSignal();
  ~WithoutSizeSignal();
  WithoutSizeSignal(const WithoutSizeSignal&) = delete;
  WithoutSizeSignal& operator=(const WithoutSizeSignal&) = delete;

 private:
  sigset_t size_signal_;
  sigset_t old_mask_;
  bool was_pending_ = false;
};

}  // namespace gibbous
