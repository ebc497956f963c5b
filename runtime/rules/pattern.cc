// Patterns of rules: runtime/command/glob.h matches globs, RE2 the rest.
//
// A command's words are bytes. RE2 in UTF-8 mode never matches a byte that is not UTF-8, so one
// such byte would hide a word from a rule; patterns in plain ASCII are therefore matched on bytes.
// For the same reason `.` matches newlines.
#include <re2/re2.h>

#include <algorithm>
#include <cstdint>

#include "runtime/command/glob.h"
#include "runtime/rules/quote.h"
#include "runtime/rules/rules.h"

namespace gibbous::rules {
namespace {

constexpr std::int64_t kMaxRegexMemory = std::int64_t{1} << 20;  // program and automaton together

bool is_about_bytes(std::string_view regex) {
  const bool ascii = std::all_of(regex.begin(), regex.end(),
                                 [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  return ascii && regex.find("\\p") == std::string_view::npos &&
         regex.find("\\P") == std::string_view::npos &&
         regex.find("\\x{") == std::string_view::npos;
}

re2::RE2::Options regex_options(std::string_view regex) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_never_capture(true);
  options.set_dot_nl(true);
  options.set_max_mem(kMaxRegexMemory);
  if (is_about_bytes(regex)) options.set_encoding(re2::RE2::Options::EncodingLatin1);
  return options;
}

Status wrong(const std::string& pattern, const std::string& what) {
  return Status::error("invalid_pattern", "pattern " + quote(pattern) + ": " + what);
}

bool regex_matches(const re2::RE2& regex, std::string_view text) {
  return regex.Match({text.data(), text.size()}, 0, text.size(), re2::RE2::ANCHOR_BOTH, nullptr, 0);
}

}  // namespace

Result<Pattern> Pattern::compile(const std::string& text) {
  if (text.size() > kMaxRulePatternBytes) {
    return wrong(text, "longer than " + std::to_string(kMaxRulePatternBytes) + " bytes");
  }
  if (text == kRegexPrefix) return wrong(text, "there is no expression after re:");
  Pattern pattern;
  pattern.text = text;
  if (!text.starts_with(kRegexPrefix)) return pattern;
  const std::string expression = text.substr(kRegexPrefix.size());
  pattern.regex = std::make_shared<const re2::RE2>(expression, regex_options(expression));
  if (pattern.regex->ok()) return pattern;
  std::string message = pattern.regex->error();
  const std::string part = pattern.regex->error_arg();
  const std::size_t position = text.find(part, kRegexPrefix.size());
  if (!part.empty() && position != std::string::npos) {
    message += " (at byte " + std::to_string(position + 1) + ")";
  }
  return wrong(text, message);
}

bool Pattern::matches(std::string_view candidate) const {
  return regex ? regex_matches(*regex, candidate) : command::glob_matches(text, candidate);
}

bool Pattern::matches(const command::Value& value) const {
  if (!regex) return command::glob_matches(text, value);
  return !value.has_unknown() && regex_matches(*regex, value.text);
}

bool Pattern::may_match(const command::Value& value) const {
  if (value.literal()) return matches(std::string_view(value.text));
  for (const command::Value::Hole& hole : value.holes)
    if (hole.splits && hole.kind == command::Value::Hole::Kind::kUnknown) return true;  // any words
  return regex || command::glob_may_match(text, value);
}

}  // namespace gibbous::rules
