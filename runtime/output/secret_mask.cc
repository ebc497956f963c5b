#include "runtime/output/secret_mask.h"

#include <algorithm>

#include "runtime/output/escape.h"

namespace gibbous {
namespace {

std::size_t begun_at_end(std::string_view bytes, std::string_view secret) {
  for (std::size_t size = std::min(bytes.size(), secret.size() - 1); size > 0; --size) {
    if (bytes.substr(bytes.size() - size) == secret.substr(0, size)) return size;
  }
  return 0;
}

}  // namespace

SecretMask::SecretMask(const std::vector<std::string>& values) {
  for (std::string_view value : values) {
    while (!value.empty()) {
      const std::size_t end = std::min(value.find_first_of("\r\n"), value.size());
      if (end >= kMinMaskedBytes)
        lines_.emplace_back(value.substr(0, std::min(end, kMaxMaskedBytes)));
      value.remove_prefix(std::min(end + 1, value.size()));
    }
  }
  // A secret may be part of another one.
  std::sort(lines_.begin(), lines_.end(),
            [](const auto& left, const auto& right) { return left.size() > right.size(); });
}

std::size_t SecretMask::apply(std::string* bytes) const {
  for (const std::string& line : lines_) {
    for (std::size_t at = bytes->find(line); at != std::string::npos;
         at = bytes->find(line, at + line.size())) {
      bytes->replace(at, line.size(), line.size(), '*');
    }
  }
  std::size_t held = 0;
  for (const std::string& line : lines_) held = std::max(held, begun_at_end(*bytes, line));
  return bytes->find(kEscape) == std::string::npos ? held : std::max(held, apply_shown(bytes));
}

// The same where escape sequences, such as the colours of a match, cut a secret.
std::size_t SecretMask::apply_shown(std::string* bytes) const {
  constexpr std::size_t kMostHeld = 2 * kMaxMaskedBytes;
  const ShownText shown = without_escapes(*bytes);
  std::size_t held = 0;
  for (const std::string& line : lines_) {
    for (std::size_t at = shown.text.find(line); at != std::string::npos;
         at = shown.text.find(line, at + line.size())) {
      for (std::size_t each = 0; each < line.size(); ++each) {
        (*bytes)[shown.places[at + each]] = '*';
      }
    }
    const std::size_t begun = begun_at_end(shown.text, line);
    if (begun > 0) {
      held = std::max(held, bytes->size() - shown.places[shown.places.size() - begun]);
    }
  }
  return held > kMostHeld ? 0 : held;
}

}  // namespace gibbous
