// See secrets.h.
#include "bindings/inspect/secrets.h"

#include <algorithm>

#include "runtime/output/text.h"
#include "runtime/output/utf8.h"

namespace gibbous::inspect {
namespace {

constexpr std::string_view kLineEnds = "\r\n";
constexpr std::string_view kKeyBegin = "-----BEGIN ";
constexpr std::string_view kKeyEnd = "-----END ";
constexpr std::string_view kPrivateKey = "PRIVATE KEY";

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Counts the bytes of whole characters that both begin with.
std::size_t common_bytes(std::string_view left, std::string_view right) {
  const auto differ = std::mismatch(left.begin(), left.end(), right.begin(), right.end()).first;
  auto same = static_cast<std::size_t>(differ - left.begin());
  while (same > 0 && same < left.size() && is_utf8_continuation(left[same])) --same;
  return same;
}

}  // namespace

std::string StreamRedactor::feed(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t end = text.find_first_of(kLineEnds);
    const std::size_t size = end == std::string_view::npos ? text.size() : end + 1;
    line_.append(text.substr(0, size));
    text.remove_prefix(size);
    if (end == std::string_view::npos && line_.size() <= kMaxHeldBytes) break;
    shown += flush();
    end_line();
  }
  return shown;
}

std::string StreamRedactor::flush() {
  if (shown_bytes_ == line_.size()) return "";
  std::string whole = redact_line();
  // The new text may turn text that was already shown into part of a secret. What follows comes
  // from the redacted line even then, because the new text alone may not look like a secret.
  std::string more = whole.substr(common_bytes(whole, shown_));
  shown_ = std::move(whole);
  shown_bytes_ = line_.size();
  return more;
}

void StreamRedactor::end_line() {
  if (in_key_) {
    in_key_ = !contains(line_, kKeyEnd);
  } else if (const std::size_t begin = line_.find(kKeyBegin); begin != std::string::npos) {
    const std::string_view rest = std::string_view(line_).substr(begin);
    in_key_ = contains(rest, kPrivateKey) && !contains(rest, kKeyEnd);
  }
  line_.clear();
  shown_.clear();
  shown_bytes_ = 0;
}

// Looks at the text without escape sequences, which would hide where a word begins.
std::string StreamRedactor::redact_line() const {
  const std::string plain =
      clean(line_, {.strip_ansi = true, .resolve_returns = false, .replace_invalid = false});
  if (in_key_ && !contains(plain, kKeyEnd)) {
    const std::size_t end = plain.find_last_not_of(kLineEnds);
    return end == std::string::npos ? plain : std::string(kMask) + plain.substr(end + 1);
  }
  // The first line of a key reveals nothing itself, and those that follow are redacted one by one.
  const std::size_t last = plain.find_last_not_of(kLineEnds);
  const std::string_view text = std::string_view(plain).substr(0, last + 1);  // npos + 1 is 0
  const std::size_t key = text.find(kKeyBegin);
  const bool begins_key = key != std::string_view::npos && text.ends_with("-----") &&
                          contains(text.substr(key), kPrivateKey);
  const std::size_t shown = begins_key ? key : plain.size();
  std::string safe = redaction_.redact(plain.substr(0, shown)) + plain.substr(shown);
  return safe == plain ? line_ : safe;
}

}  // namespace gibbous::inspect
