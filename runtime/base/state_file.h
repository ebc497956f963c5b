// Files in the state directory that several processes share: opened so that nobody else's file, and
// no link, is ever taken for ours. Used by runtime/approvals, runtime/decisions and
// runtime/journal. Any thread.
#pragma once

#include <signal.h>
#include <sys/stat.h>

#include <string>

#include "gibbous/status.h"
#include "runtime/base/unique_fd.h"

namespace gibbous {

inline constexpr mode_t kStateFileMode = 0600;

// The directory, if it belongs to this user and nobody else may write to it; made (0700, with those
// above it) with `make`. Fails with state_dir_missing or state_dir_unusable.
Result<UniqueFd> open_state_directory(const std::string& directory, bool make);

// Why such a file is not to be trusted; nullptr when it may be.
const char* objection_to(const struct stat& file);

// Held by one process at a time, for a few system calls; released when it goes, or its process.
class StateLock {
 public:
  // Waits a millisecond between tries. Fails with state_busy, or with state_file_unusable.
  static Result<StateLock> take(const UniqueFd& directory, const std::string& name, int tries);

 private:
  explicit StateLock(UniqueFd file) : file_(std::move(file)) {}
  UniqueFd file_;
};

// A write beyond RLIMIT_FSIZE must not end the host: while this lives the signal is held back in
// this thread, and the one that a write caused is taken back. The write then fails with EFBIG.
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
