#include "runtime/base/state_text.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "runtime/base/state_file.h"

namespace gibbous {
namespace {

constexpr const char* kKeyName = "approvals.key";
constexpr std::size_t kKeyBytes = 32;
constexpr std::size_t kKeyDigits = 2 * kKeyBytes;
constexpr char kHexDigits[] = "0123456789abcdef";

Status file_problem(const std::string& path, const std::string& why) {
  return Status::error("state_file_unusable", path + ": " + why);
}

bool needs_escape(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == '\\' || c == 0x7F;
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool write_all(const UniqueFd& file, std::string_view text) {
  const WithoutSizeSignal guard;
  while (!text.empty()) {
    const ssize_t count = ::write(file.get(), text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace

void append_escaped(std::string& line, std::string_view bytes) {
  for (const char c : bytes) {
    if (!needs_escape(c)) {
      line += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    line.append("\\x").append(1, kHexDigits[byte >> 4U]).append(1, kHexDigits[byte & 15U]);
  }
}

std::optional<std::string> unescaped(std::string_view text) {
  constexpr std::size_t kEscapeChars = 4;  // \xHH
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\') {
      if (needs_escape(text[at])) return std::nullopt;
      plain += text[at];
      continue;
    }
    if (text.size() - at < kEscapeChars || text[at + 1] != 'x') return std::nullopt;
    const int high = hex_value(text[at + 2]);
    const int low = hex_value(text[at + 3]);
    if (high < 0 || low < 0) return std::nullopt;
    plain += static_cast<char>(high * 16 + low);
    at += kEscapeChars - 1;
  }
  return plain;
}

Result<std::string> read_state_file(const UniqueFd& file, std::size_t most,
                                    const std::string& path) {
  struct stat info {};
  const bool known = ::fstat(file.get(), &info) == 0 && info.st_size > 0;
  const std::size_t expected = known ? static_cast<std::size_t>(info.st_size) : 0;
  std::string text(std::min(expected, most) + 1, '\0');
  std::size_t got = 0;
  while (got < text.size()) {
    const ssize_t count = ::read(file.get(), text.data() + got, text.size() - got);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return file_problem(path, std::string("cannot be read: ") + strerror(errno));
    if (count == 0) break;
    got += static_cast<std::size_t>(count);
  }
  text.resize(got);
  return text;
}

Status replace_state_file(const UniqueFd& directory, const std::string& name, std::string_view text,
                          bool durable, const std::string& path) {
  const std::string fresh = name + ".new";
  // Remove what a process that died halfway left; the lock shows that no other one is halfway.
  ::unlinkat(directory.get(), fresh.c_str(), 0);
  const UniqueFd file(::openat(directory.get(), fresh.c_str(),
                               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                               kStateFileMode));
  // Sync even when the caller does not wait for durability: after a power failure the file is the
  // old one or the new one, never an empty one.
  if (!file || !write_all(file, text) || ::fdatasync(file.get()) != 0 ||
      ::renameat(directory.get(), fresh.c_str(), directory.get(), name.c_str()) != 0) {
    const int error = errno;
    ::unlinkat(directory.get(), fresh.c_str(), 0);
    return file_problem(path, std::string("cannot be written: ") + std::strerror(error));
  }
  if (durable && ::fsync(directory.get()) != 0) {
    return file_problem(path,
                        std::string("may not survive a power failure: ") + std::strerror(errno));
  }
  return {};
}

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
    return file_problem(path, "there is no randomness for its key");
  }
  std::string key;
  for (const unsigned char byte : random) {
    key += kHexDigits[byte >> 4U];
    key += kHexDigits[byte & 15U];
  }
  (void)::unlinkat(directory.get(), kKeyName, 0);  // what is no key
  const UniqueFd file(::openat(directory.get(), kKeyName,
                               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                               kStateFileMode));
  if (!file || !write_all(file, key) || ::fdatasync(file.get()) != 0) {
    const int error = errno;
    ::unlinkat(directory.get(), kKeyName, 0);
    return file_problem(path + ": " + kKeyName,
                        std::string("cannot be written: ") + std::strerror(error));
  }
  return key;
}

}  // namespace gibbous
