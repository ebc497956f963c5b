// Redactor: takes the secrets out of command text before it is logged: `***` stands in their place,
// everything else stays as it is. Pure, any thread.
//
// What it knows: values of names that mean a secret (NAME=value, --password x, "api_key": "x",
// -H 'Authorization: Bearer x'), short options that are passwords for some programs (mysql -px,
// sshpass -p x, curl -u name:x), passwords in URLs, tokens of well-known shapes, private keys. It
// is a guess at what people mean, for commands that are not trying to hide anything. References
// ($TOKEN, $(pass show x)) are no secrets and stay: a log that hides commands is worth less.
//
// Takes commands as they are, a shell line or an argv as it is shown, not text that has been made
// into JSON. Time is linear in the text.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gibbous/status.h"

namespace re2 {
class RE2;
}

namespace gibbous {

inline constexpr std::size_t kMaxRedactPatterns = 64;
inline constexpr std::size_t kMaxRedactPatternBytes = 1024;
// Of one pattern in one text; what follows is redacted whole, because the time of more is not
// bounded.
inline constexpr std::size_t kMaxRedactMatches = 1000;

class Redactor {
 public:
  Redactor() = default;
  // Patterns in RE2's syntax that are secrets besides: what they match, or their first group if
  // they have one. Fails with invalid_arguments, and names the pattern that is not understood.
  static Result<Redactor> create(const std::vector<std::string>& patterns);

  std::string redact(std::string_view text) const;

 private:
  std::vector<std::shared_ptr<const re2::RE2>> patterns_;
};

// Without patterns of one's own.
std::string redact_secrets(std::string_view text);

}  // namespace gibbous
