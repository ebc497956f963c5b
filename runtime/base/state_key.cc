#include "runtime/base/state_key.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "runtime/base/state_file.h"

namespace gibbous {
namespace {

constexpr const char* kKeyName = "approvals.key";
constexpr std::size_t kKeyBytes = 32;
constexpr std::size_t kKeyDigits = 2 * kKeyBytes;

}  // namespace

std::string read_state_key(const UniqueFd& directory) {
  const UniqueFd file(::openat(directory.get(), kKeyName,
                               O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat info {};
  if (!file || ::fstat(file.get(), &info) != 0 || objection_to(info) != nullptr) return "";
  std::array<char, kKeyDigits + 1> digits{};
  const ssize_t size = ::pread(file.get(), digits.data(), digits.size(), 0);
  if (size != static_cast<ssize_t>(kKeyDigits)) return "";
  return {digits.data(), kKeyDigits};
}

Result<std::string> make_state_key(const UniqueFd& directory, const std::string& path) {
  constexpr const char* kLockName = "approvals.key.lock";
  constexpr int kLockTries = 200;  // a millisecond each
  // Files with locks of their own share the key.
  const Result<StateLock> lock = StateLock::take(directory, kLockName, kLockTries);
  if (!lock) return lock.status();
  if (std::string known = read_state_key(directory); !known.empty()) return known;
  std::array<unsigned char, kKeyBytes> random{};
  if (::getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size())) {
    return Status::error("state_file_unusable", path + ": there is no randomness for its key");
  }
  constexpr char kHexDigits[] = "0123456789abcdef";
  std::string key;
  for (const unsigned char byte : random) {
    key += kHexDigits[byte >> 4U];
    key += kHexDigits[byte & 15U];
  }
  (void)::unlinkat(directory.get(), kKeyName, 0);  // what is no key
  const UniqueFd file(::openat(directory.get(), kKeyName,
                               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                               kStateFileMode));
  if (!file || !write_whole(file, key) || ::fdatasync(file.get()) != 0) {
    const int error = errno;
    ::unlinkat(directory.get(), kKeyName, 0);
    return Status::error("state_file_unusable",
                         path + ": " + kKeyName + ": cannot be written: " + std::strerror(error));
  }
  return key;
}

}  // namespace gibbous
