// Landlock restricts which files a program and all its descendants may touch, by tree. The keeper
// builds a ruleset before a start. Ordinary code, any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "gibbous/status.h"
#include "runtime/base/unique_fd.h"
#include "runtime/sandbox/sandbox.h"

namespace gibbous {

// Returns 0 if the kernel has none, or it is switched off.
std::uint32_t landlock_abi();

// Whether signals of a sandboxed run reach processes of its session alone.
bool can_hold_signals();

enum class LandlockGrant : std::uint8_t {
  kList,  // the names in it, of all below, too
  kRead,
  kWrite,
  kDevice
};

class LandlockRuleset {
 public:
  // Handles every right that `abi` knows, and grants none yet.
  static Result<LandlockRuleset> create(std::uint32_t abi, SandboxNetwork network);

  // `fd`, which may be an O_PATH one, is the tree or the file.
  Status grant(int fd, bool is_directory, LandlockGrant grant);
  // What grant() would allow for a directory.
  std::uint64_t rights(LandlockGrant grant) const;
  UniqueFd take() { return std::move(fd_); }

 private:
  LandlockRuleset(UniqueFd fd, std::uint64_t handled) : fd_(std::move(fd)), handled_(handled) {}

  UniqueFd fd_;
  std::uint64_t handled_;
};

}  // namespace gibbous
