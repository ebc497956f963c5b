// Redactor: replaces the secrets in command text by `***` before it is logged, and keeps everything
// else. Pure, any thread.
//
// It knows values of names that mean a secret (NAME=value, --password x, "api_key": "x", -H
// 'Authorization: Bearer x'), short options that are passwords for some programs (mysql -px,
// sshpass -p x, curl -u name:x), passwords in URLs, tokens of well-known shapes, and private keys.
// It is a guess at what people mean, for commands that do not try to hide anything. References
// ($TOKEN, $(pass show x)) are not secrets and stay: a log that hides commands is worth less.
//
// Expects commands as they are, a shell line or an argv as it is shown, not text encoded as JSON.
// Takes linear time.
//
// Finders read the original text and return spans, which are merged, so that none depends on what
// another has replaced. One RE2::Set says which patterns match at all.
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

struct SecretSpan;

inline constexpr std::string_view kMask = "***";  // in the place of a secret

inline constexpr std::size_t kMaxRedactPatterns = 64;
inline constexpr std::size_t kMaxRedactPatternBytes = 1024;
// Those of several policies, as the journal keeps them with a run.
inline constexpr std::size_t kMaxRecordedPatterns = 256;
// One pattern may match this often in one text. The rest is redacted whole, because the time for
// more is not bounded.
inline constexpr std::size_t kMaxRedactMatches = 1000;

class Redactor {
 public:
  Redactor() = default;
  // `patterns` are further secrets in RE2's syntax: the match, or its first group if there is one.
  // Fails with invalid_arguments, and names the pattern that RE2 rejects.
  static Result<Redactor> create(const std::vector<std::string>& patterns,
                                 std::size_t most = kMaxRedactPatterns);

  std::string redact(std::string_view text) const;
  // Redacts pieces of one text, as rows of a terminal are: also a secret that goes on in the next
  // piece, which is `***` in both.
  std::vector<std::string> redact_pieces(const std::vector<std::string_view>& pieces) const;

 private:
  void find(std::string_view text, std::vector<SecretSpan>& spans) const;

  std::vector<std::shared_ptr<const re2::RE2>> patterns_;
};

// Redacts without extra patterns.
std::string redact_secrets(std::string_view text);

}  // namespace gibbous
