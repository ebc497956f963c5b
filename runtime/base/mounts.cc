// "36 35 98:0 ROOT POINT options [fields...] - TYPE source OPTIONS"
#include "runtime/base/mounts.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>

namespace gibbous {
namespace {

constexpr std::string_view kSeparator = " - ";
constexpr std::size_t kRootField = 3;
constexpr std::size_t kPointField = 4;
constexpr std::size_t kOptionsField = 2;

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    if (end > at) parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

// The kernel writes space, tab, newline and backslash as \NNN.
std::string unescape(std::string_view text) {
  constexpr std::size_t kDigits = 3;
  constexpr int kOctalBits = 3;
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + kDigits >= text.size()) {
      plain += text[i];
      continue;
    }
    int value = 0;
    for (std::size_t digit = 1; digit <= kDigits; ++digit) {
      value = value << kOctalBits | ((text[i + digit] - '0') & 7);
    }
    plain += static_cast<char>(value);
    i += kDigits;
  }
  return plain;
}

}  // namespace

std::vector<Mount> parse_mounts(std::string_view mountinfo) {
  std::vector<Mount> mounts;
  for (const std::string_view line : split(mountinfo, '\n')) {
    const std::size_t separator = line.find(kSeparator);
    if (separator == std::string_view::npos) continue;
    const auto before = split(line.substr(0, separator), ' ');
    const auto after = split(line.substr(separator + kSeparator.size()), ' ');
    if (before.size() <= kPointField || after.size() <= kOptionsField) continue;
    std::uint64_t id = 0;
    if (std::from_chars(before[0].data(), before[0].data() + before[0].size(), id).ec !=
        std::errc{})
      continue;
    mounts.push_back({id, unescape(before[kRootField]), unescape(before[kPointField]),
                      std::string(after[0]), std::string(after[kOptionsField])});
  }
  return mounts;
}

std::string read_small_file(const char* path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<Mount> own_mounts() {
  return parse_mounts(read_small_file("/proc/self/mountinfo"));
}

}  // namespace gibbous
