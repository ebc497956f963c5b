// Secrets that the text around them or their own shape shows, as RE2 patterns: one pass for each.
#include <re2/re2.h>
#include <re2/set.h>

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "runtime/audit/secret_span.h"

namespace gibbous {
namespace {

constexpr int kMostGroups = 4;

struct Pattern {
  bool named;  // the first group is a name, which must mean a secret
  std::string text;
};

// The secret is the first group that took part. Quotes and backslashes may be escaped: code is
// often inside other code.
std::vector<Pattern> all_patterns() {
  const std::string quote = R"((?:\\?["']))";
  const std::string blank = R"((?:[ \t]|\\ ))";
  const std::string word = R"(((?:[^\s"'\\]|\\[^\s"'])+))";
  const std::string line = R"(((?:[^\n"'\\]|\\[^\n"'])+))";
  // The rest of the line when the quote is not closed.
  const std::string quoted =
      R"(\$?(?:\\"(?s:.*?)\\"|\\'(?s:.*?)\\'|"(?:[^"\\]|\\(?s:.))*"|'[^']*'|\\?["'][^\n]*))";
  const std::string value = "(" + quoted + R"(|(?:[^\s"'\\;&|<>()`]|\\[^"'])+))";
  // Behind a colon, as a member of JSON or YAML.
  const std::string member = "(" + quoted + R"(|(?:[^\s"'\\;&|<>()`,}\]]|\\[^"'])+))";
  const std::string name =
      R"(((?i)[\w.-]*(?:pass|pwd|secret|token|key|cred|auth|bearer|jwt|cookie)[\w.-]*|[\w.-]+pat))";
  const std::string quoted_end = quote + R"(\]?)" + blank + "*";
  const std::string equals = R"([+:]?=[=>]*)";
  const std::string header = "(?i)(?:^|[^a-z0-9_.-])";
  const std::string behind =
      quote + R"(?\]?)" + blank + R"(*[+:]?[:=][=>]*)" + blank + "*" + quote + "?" + blank + "*";
  return {
      // NAME=value, but not `NAME= command`; env['NAME'] = value
      {true, name + equals + value},
      {true, name + "(?:" + blank + "+|" + quoted_end + ")" + equals + blank + "*" + value},
      {true, name + "(?:" + equals + "|" + blank + "*:)" + blank + "*(" + quoted + ")"},
      // "name": value, name: value
      {true, name + blank + "*:" + blank + "+" + member},
      {true, name + quoted_end + ":" + blank + "*" + member},
      {true, header + R"((x-[\w.-]+|private-token|api-?key|pass))" + blank + "*:" + member},
      {false, R"((?i)\bauthorization)" + behind +
                  "(?:(?:bearer|basic|token|negotiate|apikey|ntlm)" + blank + "+" + word + "|" +
                  R"([\w.-]+)" + blank + "+" + line + "|" + line + ")"},
      {false,
       header + "(?:set-)?cookie" + quote + "?" + blank + "*:" + blank + "*" + quote + "?" + line},
      // Without a header's name, only text too long for a word of a sentence counts.
      {false, R"((?i)\bbearer)" + blank + R"(+([^\s"']{15,}[^\s"'\\]))"},
      // scheme://user:password@host, https://TOKEN@host
      {false, R"(://[^/?#"'`<>\\\s:]*:([^/?#"'`<>\\\s]*)@)"},
      {false, R"(https?://([^/?#"'`<>\\\s:]{20,})@)"},
      {false, R"(-----BEGIN [^-]*PRIVATE KEY[^-]*-----((?s:.*?))(?:-----END |\z))"},
      // Tokens of well-known shapes
      {false, R"(\b((?:gh[oprsu]_|github_pat_)\w{20,}|gl(?:pat|dt|rt|cbt|ptt)-[\w-]{16,}|)"
              R"((?:[rs]k_live|sk_test)_\w{10,}|whsec_\w{16,}|(?:xox[abeoprs]|xapp)-[\w-]{10,}|)"
              R"(xoxe\.[\w.-]{9,}[\w-]|ya29\.[\w.-]{19,}[\w-]|SG\.[\w-]{16,}\.[\w.-]{16,}[\w-]|)"
              R"(eyJ[\w-]{10,}\.[\w-]*\.[\w.-]*[\w-]|npm_[[:alnum:]]{30,}|AIza[\w-]{30,}|)"
              R"((?:hf|gsk|shpat)_[[:alnum:]]{20,}|dop_v1_[[:alnum:]]{40,}|pypi-AgE[\w-]{20,}|)"
              R"((?:tskey-|hvs\.)[\w-]{20,}|AGE-SECRET-KEY-1[[:alnum:]]{20,}))"},
      {false, R"(\b(A[KS]IA[[:alnum:]]{16}|dapi[[:xdigit:]]{32})(?:[^[:alnum:]]|\z))"},
      // A package name may look like one without digits.
      {false, R"(\b(sk-(?:[\w-]*\d[\w-]{19}|[\w-]{10,}\d[\w-]{9}|[\w-]{19,}\d)[\w-]*))"},
      {false, R"(hooks\.slack\.com/services/([[:alnum:]/]+))"},
  };
}

struct Compiled {
  // Which patterns match at all: most texts hold no secret, and are read once.
  re2::RE2::Set any{re2::RE2::Latin1, re2::RE2::UNANCHORED};
  std::vector<std::pair<bool, std::unique_ptr<const re2::RE2>>> patterns;

  Compiled() {
    for (const Pattern& each : all_patterns()) {
      any.Add(each.text, nullptr);
      patterns.emplace_back(each.named,
                            std::make_unique<const re2::RE2>(each.text, re2::RE2::Latin1));
    }
    any.Compile();
  }
};

bool means_secret(std::string_view name, std::string_view value) {
  // Its value is a scheme and the secret.
  static const re2::RE2 authorization(R"((?i)(?:.*\W)?authorization)");
  if (re2::RE2::FullMatch(name, authorization)) return false;
  const NameMeans meaning = meaning_of_name(name);
  return meaning == NameMeans::kSecret ||
         (meaning == NameMeans::kMaybe && is_secret_behind_maybe(value));
}

}  // namespace

bool is_harmless(std::string_view value) {
  static const re2::RE2 harmless(
      R"((?is)|true|false|yes|no|on|off|none|null|\*\*\*|\$|\\?(?:\$\(|`).*|\\?\$(?:\w+|\{\w+\}))",
      re2::RE2::Latin1);
  return re2::RE2::FullMatch(value, harmless);
}

bool is_secret_behind_maybe(std::string_view value) {
  static const re2::RE2 number_or_path(R"((?s)\d*|[/~.].*)", re2::RE2::Latin1);
  return !re2::RE2::FullMatch(value, number_or_path);
}

SecretSpan without_quotes(std::string_view text, SecretSpan span) {
  const std::string_view value = text.substr(span.begin, span.end - span.begin);
  for (const std::string_view mark : {"\\\"", "\\'", "\"", "'"}) {
    if (value.size() >= 2 * mark.size() && value.starts_with(mark) && value.ends_with(mark)) {
      return {span.begin + mark.size(), span.end - mark.size()};
    }
  }
  return span;
}

void find_patterns(std::string_view text, SecretSpans& spans) {
  static const Compiled compiled;
  std::vector<int> matching;
  re2::RE2::Set::ErrorInfo failure{re2::RE2::Set::kNoError};
  if (!compiled.any.Match(text, &matching, &failure)) {
    if (failure.kind == re2::RE2::Set::kNoError) return;
    matching.resize(compiled.patterns.size());  // Without memory for it: each may match.
    std::iota(matching.begin(), matching.end(), 0);
  }
  for (const int which : matching) {
    const auto& [named, pattern] = compiled.patterns[static_cast<std::size_t>(which)];
    const int groups = pattern->NumberOfCapturingGroups() + 1;
    std::array<re2::StringPiece, kMostGroups> found;
    for (std::size_t at = 0;
         pattern->Match(text, at, text.size(), re2::RE2::UNANCHORED, found.data(), groups);) {
      const auto* group = std::find_if(found.begin() + (named ? 2 : 1), found.begin() + groups,
                                       [](const auto& each) { return each.data() != nullptr; });
      const auto begin = static_cast<std::size_t>(group->data() - text.data());
      const SecretSpan span = without_quotes(text, {begin, begin + group->size()});
      const std::string_view value = text.substr(span.begin, span.end - span.begin);
      const bool found_one = !is_harmless(value) && (!named || means_secret(found[1], value));
      if (found_one) spans.push_back(span);
      // What is no secret may have one inside: TOKEN=$(PASSWORD=x get).
      at = std::max(at + 1, found_one ? span.end : begin);
    }
  }
}

}  // namespace gibbous
