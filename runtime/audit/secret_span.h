// The places of secrets in a text: each finder adds spans, and the Redactor merges them. Also:
// which names mean a secret, and text that looks like a value but is not one. Pure, any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "runtime/audit/redact.h"

namespace gibbous {

struct SecretSpan {
  std::size_t begin = 0;
  std::size_t end = 0;
};
using SecretSpans = std::vector<SecretSpan>;

// Returns true when the value cannot be a secret: empty, true, none, ***, a reference ($NAME,
// ${NAME}, $1, \$NAME), or a command that stays visible ($(… or `…).
bool is_harmless(std::string_view value);

// Returns true when the value of a name that may mean a secret is one: neither a number nor a path.
bool is_secret_behind_maybe(std::string_view value);

inline bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
inline bool is_alnum(char c) {
  return is_letter(c) || is_digit(c);
}
inline bool is_blank(char c) {
  return c == ' ' || c == '\t';
}
inline bool is_space(char c) {
  return is_blank(c) || c == '\n' || c == '\r';
}
inline bool is_quote(char c) {
  return c == '"' || c == '\'';
}

// Which names of variables, options, headers and JSON members mean a secret.
enum class NameMeans : std::uint8_t {
  kNothing,
  kMaybe,   // a secret, unless the value is a number or a path: max_tokens=100, PWD=/work
  kSecret,  // DB_PASSWORD, apiKey, x-auth-token
};

// Looks at the last 128 bytes, in any spelling: SNAKE, kebab, camelCase, dotted.name.
NameMeans meaning_of_name(std::string_view name);

// Returns true when no value follows this option, such as --no-password or --ask-pass.
bool is_flag_name(std::string_view name);

// Returns the inside of a quoted value, whose quotes may be escaped.
SecretSpan without_quotes(std::string_view text, SecretSpan span);

// NAME=value, "name": "value", headers, passwords in URLs, private keys, ghp_…, eyJ….….…
void find_patterns(std::string_view text, SecretSpans& spans);
// Words of a shell line: --password value, mysql -pvalue, NAME='value with blanks'.
void find_word_values(std::string_view text, SecretSpans& spans);

}  // namespace gibbous
