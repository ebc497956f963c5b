// See token.h.
#include "bindings/mcp/http/token.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <system_error>

#include "runtime/base/unique_fd.h"

namespace gibbous::mcp::http {
namespace {

constexpr std::size_t kTokenBytes = 32;
constexpr std::size_t kMinTokenChars = 16;
constexpr std::size_t kMaxTokenChars = 512;

std::string why_not() {
  return std::generic_category().message(errno);
}

}  // namespace

Result<std::string> make_token() {
  std::array<unsigned char, kTokenBytes> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return Status::error("token_failed", "no random bytes for a token: " + why_not());
  }
  constexpr char kDigits[] = "0123456789abcdef";
  constexpr unsigned kBitsOfDigit = 4;
  constexpr unsigned kDigit = 0xf;
  std::string token;
  for (const unsigned char byte : bytes) {
    token += kDigits[byte >> kBitsOfDigit];
    token += kDigits[byte & kDigit];
  }
  return token;
}

Result<std::string> read_token_file(const std::string& path, const std::string& field) {
  const auto wrong = [&](const std::string& why) {
    return Status::error("invalid_arguments", field + " " + path + ": " + why);
  };
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat info {};
  if (!file || ::fstat(file.get(), &info) != 0) return wrong(why_not());
  if (!S_ISREG(info.st_mode)) return wrong("expected a regular file");
  if (info.st_uid != ::geteuid()) return wrong("the file belongs to another user");
  if ((info.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return wrong("other users have access to the file: chmod 600");
  }
  std::array<char, kMaxTokenChars + 2> text{};
  const ssize_t count = ::read(file.get(), text.data(), text.size());
  if (count < 0) return wrong(why_not());
  std::string token(text.data(), static_cast<std::size_t>(count));
  token.erase(std::min(token.find_first_of("\r\n"), token.size()));
  const bool visible = std::all_of(token.begin(), token.end(),
                                   [](char letter) { return letter > ' ' && letter < 0x7f; });
  if (token.size() < kMinTokenChars || token.size() > kMaxTokenChars || !visible) {
    return wrong("expected a first line of " + std::to_string(kMinTokenChars) + " to " +
                 std::to_string(kMaxTokenChars) + " visible ASCII characters");
  }
  return token;
}

}  // namespace gibbous::mcp::http
