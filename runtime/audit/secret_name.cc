// A name is split into words, and the words decide. The tables hold the knowledge.
#include "runtime/audit/secret_span.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace gibbous {
namespace {

constexpr std::size_t kMaxNameBytes = 128;

// A word with one of these endings: PGPASSWORD, authtoken, myapikey.
constexpr std::array<std::string_view, 16> kStems = {
    "password",  "passwords", "passwd",     "passphrase", "passcode",  "secret",
    "secrets",   "token",     "apikey",     "apikeys",    "accesskey", "privatekey",
    "secretkey", "authkey",   "credential", "credentials"};
// A whole word.
constexpr std::array<std::string_view, 9> kWords = {"authorization", "creds",    "bearer",
                                                    "jwt",           "sshpass",  "dbpass",
                                                    "userpass",      "rootpass", "smtppass"};
// Before `key`: api_key, accessKey, PRIVATE-KEY.
constexpr std::array<std::string_view, 14> kKeysOf = {
    "api",    "access", "private", "secret",  "signing", "encryption", "account",
    "master", "shared", "auth",    "session", "storage", "license",    "service"};
// A name with one of these endings describes a secret but is not one.
constexpr std::array<std::string_view, 53> kAbout = {
    "file",        "files",   "path",     "paths",    "dir",     "directory", "sock",    "socket",
    "url",         "uri",     "endpoint", "type",     "types",   "method",    "mode",    "name",
    "names",       "length",  "len",      "size",     "count",   "limit",     "ttl",     "expiry",
    "expires",     "timeout", "enabled",  "required", "host",    "port",      "user",    "username",
    "scheme",      "store",   "stdin",    "jar",      "policy",  "provider",  "manager", "env",
    "program",     "command", "helper",   "prompt",   "version", "format",    "field",   "header",
    "parallelism", "index",   "budget",   "window",   "askpass"};
constexpr std::array<std::string_view, 13> kFlagBeginnings = {
    "no",    "ask",  "show", "with",    "without", "skip",   "prompt",
    "print", "hide", "has",  "require", "enable",  "disable"};

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& table, std::string_view word) {
  return std::find(table.begin(), table.end(), word) != table.end();
}

bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}
bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}

// Splits a name into words in lower case. A word begins after a character that is neither letter
// nor digit, at an upper-case letter after a lower-case one (apiKey), and at the last of several
// before a lower-case one (APIKey).
std::vector<std::string> words_of(std::string_view name) {
  if (name.size() > kMaxNameBytes) name.remove_prefix(name.size() - kMaxNameBytes);
  std::vector<std::string> words;
  bool inside = false;
  for (std::size_t at = 0; at < name.size(); ++at) {
    const char c = name[at];
    if (!is_alnum(c)) {
      inside = false;
      continue;
    }
    const bool hump = at > 0 && is_upper(c) &&
                      (is_lower(name[at - 1]) || is_digit(name[at - 1]) ||
                       (is_upper(name[at - 1]) && at + 1 < name.size() && is_lower(name[at + 1])));
    if (!inside || hump) words.emplace_back();
    inside = true;
    words.back() += is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return words;
}

bool is_secret_word(const std::vector<std::string>& words, std::size_t at) {
  const std::string_view word = words[at];
  const bool last = at + 1 == words.size();
  if (contains(kWords, word)) return true;
  if (std::any_of(kStems.begin(), kStems.end(),
                  [word](std::string_view stem) { return word.ends_with(stem); })) {
    return true;
  }
  if (word == "key" || word == "keys") return at > 0 && contains(kKeysOf, words[at - 1]);
  if (words.size() == 1) return false;
  if (word == "pwd") return words[0] != "old";
  return word == "auth" || (last && (word == "pass" || word == "pat"));
}

bool is_doubtful_word(std::string_view word) {
  return word.ends_with("tokens") || word == "pwd" || word == "pass" || word == "auth" ||
         word == "cookie" || word == "cookies";
}

}  // namespace

NameMeans meaning_of_name(std::string_view name) {
  const std::vector<std::string> words = words_of(name);
  if (words.empty() || contains(kAbout, words.back())) return NameMeans::kNothing;
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (is_secret_word(words, at)) return NameMeans::kSecret;
  }
  return std::any_of(words.begin(), words.end(), is_doubtful_word) ? NameMeans::kMaybe
                                                                   : NameMeans::kNothing;
}

bool is_flag_name(std::string_view name) {
  const std::vector<std::string> words = words_of(name);
  return !words.empty() && contains(kFlagBeginnings, words.front());
}

}  // namespace gibbous
