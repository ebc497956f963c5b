// A name is split into words, and the words decide. The patterns hold the knowledge.
#include <re2/re2.h>

#include <string>

#include "runtime/audit/secret_span.h"

namespace gibbous {
namespace {

constexpr std::size_t kMaxNameBytes = 128;

// What is searched in the words of a name, in lower case and joined by "_".
struct Meanings {
  // These name a secret: PGPASSWORD, authtoken, myapikey; api_key, accessKey, PRIVATE-KEY.
  re2::RE2 secret{
      "(?:passwords?|passwd|passphrase|passcode|secrets?|token|credentials?|apikeys?"
      "|(?:access|private|secret|auth)key)(?:_|$)"
      "|(?:^|_)(?:authorization|creds|bearer|jwt|(?:ssh|db|pg|user|root|smtp)pass"
      "|(?:api|access|private|secret|signing|encryption|account|master|shared|auth|session|storage"
      "|license|service|deploy|ssh)_keys?)(?:_|$)"
      "|_(?:auth|pwd)(?:_|$)|^(?:auth|pwd)_|_(?:pass|pat|pw)$"};
  // A secret, unless its value is a number or a path.
  re2::RE2 maybe{"tokens(?:_|$)|(?:^|_)(?:pwd|pass|auth|cookies?)(?:_|$)"};
  // Describes a secret but is not one.
  re2::RE2 about{
      "^old_pwd|(?:^|_)(?:files?|paths?|dir|directory|sock|socket|url|uri|endpoint|types?|method"
      "|mode|names?|length|len|size|count|limit|ttl|expiry|expires|timeout|enabled|required|host"
      "|port|user|username|scheme|store|stdin|jar|policy|provider|manager|env|program|command"
      "|helper|prompt|version|format|field|header|parallelism|index|budget|window|askpass)$"};
  // An option that takes no value.
  re2::RE2 flag{
      "^(?:no|ask|show|with|without|skip|prompt|print|hide|has|require|enable|disable)(?:_|$)"};
};

const Meanings& meanings() {
  static const Meanings made;
  return made;
}

bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}
bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}

// Joins the words of a name by "_", in lower case. A word begins after a character that is neither
// letter nor digit, at an upper-case letter after a lower-case one (apiKey), and at the last of
// several before a lower-case one (APIKey).
std::string words_of(std::string_view name) {
  if (name.size() > kMaxNameBytes) name.remove_prefix(name.size() - kMaxNameBytes);
  std::string words;
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
    if ((!inside || hump) && !words.empty()) words += '_';
    inside = true;
    words += is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return words;
}

}  // namespace

NameMeans meaning_of_name(std::string_view name) {
  const std::string words = words_of(name);
  const bool secret = re2::RE2::PartialMatch(words, meanings().secret);
  if (!secret && !re2::RE2::PartialMatch(words, meanings().maybe)) return NameMeans::kNothing;
  if (re2::RE2::PartialMatch(words, meanings().about)) return NameMeans::kNothing;
  return secret ? NameMeans::kSecret : NameMeans::kMaybe;
}

bool is_flag_name(std::string_view name) {
  return re2::RE2::PartialMatch(words_of(name), meanings().flag);
}

}  // namespace gibbous
