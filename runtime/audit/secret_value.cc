// Values after a name, whatever the language of the text: shell, JSON, YAML, headers, URLs. Names
// are found from left to right, and a value is not searched again.
#include <algorithm>
#include <array>
#include <string>

#include "runtime/audit/secret_span.h"

namespace gibbous {
namespace {

bool is_name_char(char c) {
  return is_alnum(c) || c == '_' || c == '-' || c == '.';
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; };
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                            [&](char x, char y) { return lower(x) == lower(y); });
}

bool begins_header(std::string_view name) {
  constexpr std::array<std::string_view, 7> kHeaders = {
      "authorization", "proxy-authorization", "private-token", "api-key", "apikey",
      "cookie",        "set-cookie"};
  return equal_ignoring_case(name.substr(0, 2), "x-") ||
         std::any_of(kHeaders.begin(), kHeaders.end(),
                     [name](std::string_view header) { return equal_ignoring_case(name, header); });
}

class NamedValues {
 public:
  NamedValues(std::string_view text, SecretSpans& spans) : text_(text), spans_(spans) {}

  void find() {
    while (at_ < text_.size()) {
      if (!is_name_char(text_[at_])) {
        ++at_;
        continue;
      }
      const std::size_t begin = at_;
      while (at_ < text_.size() && is_name_char(text_[at_])) ++at_;
      const std::string_view name = text_.substr(begin, at_ - begin);
      if (equal_ignoring_case(name, "bearer")) bearer();
      if (const std::size_t value = behind_separator(name, at_); value != kNone) {
        named(name, value);
      }
    }
  }

 private:
  static constexpr std::size_t kNone = std::string_view::npos;

  char peek(std::size_t at) const { return at < text_.size() ? text_[at] : '\0'; }
  // Returns the length of a quote, escaped or not; 0: there is none here.
  std::size_t quote_at(std::size_t at) const {
    if (is_quote(peek(at))) return 1;
    return peek(at) == '\\' && is_quote(peek(at + 1)) ? 2 : 0;
  }
  std::size_t skip_blanks(std::size_t at) const {
    while (is_blank(peek(at)) || (peek(at) == '\\' && peek(at + 1) == ' ')) ++at;
    return at;
  }

  // $(… or `…: stays visible, and a line of them is not searched again for each.
  bool is_command(std::size_t at) const {
    return peek(at) == '`' || (peek(at) == '$' && peek(at + 1) == '(');
  }

  // Returns where the value of this name may begin; kNone when it has none. `at` is after the name.
  std::size_t behind_separator(std::string_view name, std::size_t at) {
    const std::size_t quote = quote_at(at);
    at += quote;
    if (quote > 0 && peek(at) == ']') ++at;  // env['NAME'] =
    const std::size_t separator = skip_blanks(at);
    const bool is_spaced = separator > at;
    at = separator;
    colon_ = peek(at) == ':' && peek(at + 1) != '=';
    if (colon_) {
      const std::size_t value = skip_blanks(at + 1);
      const bool taken = value > at + 1 || quote > 0 || quote_at(value) > 0 || name == "pass" ||
                         begins_header(name);
      return taken && peek(at + 1) != ':' ? value : kNone;
    }
    if (peek(at) == '+' || peek(at) == ':') ++at;  // += and :=
    if (peek(at) != '=') return kNone;
    while (peek(at) == '=' || peek(at) == '>') ++at;  // ==, =>
    const std::size_t value = skip_blanks(at);
    // NAME= command: an empty value.
    return is_spaced || quote > 0 || value == at || quote_at(value) > 0 ? value : kNone;
  }

  void named(std::string_view name, std::size_t value) {
    const std::size_t dash = name.rfind('-');
    if (equal_ignoring_case(name.substr(dash == kNone ? 0 : dash + 1), "authorization")) {
      authorization(value);
      return;
    }
    if (colon_ &&
        (equal_ignoring_case(name, "cookie") || equal_ignoring_case(name, "set-cookie"))) {
      if (!is_command(value)) take(value, end_of_line_or_quote(value));
      return;
    }
    const NameMeans meaning = meaning_of_name(name);
    if (meaning == NameMeans::kNothing) return;
    const bool doubtful = meaning == NameMeans::kMaybe;
    // The first character decides, before a search that would be repeated.
    if (doubtful && !is_secret_behind_maybe(text_.substr(value + quote_at(value), 1)) &&
        !is_digit(peek(value + quote_at(value)))) {
      return;
    }
    const auto [begin, end] = value_at(value);
    if (doubtful && !is_secret_behind_maybe(text_.substr(begin, end - begin))) return;
    take(begin, end);
  }

  void take(std::size_t begin, std::size_t end) {
    if (end <= begin || is_harmless(text_.substr(begin, end - begin))) return;
    spans_.push_back({begin, end});
    at_ = end;
  }

  // Authorization: SCHEME secret, SCHEME key="value", …, or the secret alone.
  void authorization(std::size_t at) {
    constexpr std::array<std::string_view, 6> kSchemes = {"bearer",    "basic",  "token",
                                                          "negotiate", "apikey", "ntlm"};
    at = skip_blanks(at + quote_at(at));
    if (is_command(at)) return;
    std::size_t word_end = at;
    while (is_name_char(peek(word_end))) ++word_end;
    const std::string_view scheme = text_.substr(at, word_end - at);
    const std::size_t secret = skip_blanks(word_end);
    if (secret == word_end) {
      take(at, end_of_line_or_quote(at));
      return;
    }
    if (is_command(secret)) return;
    const bool one_word = std::any_of(
        kSchemes.begin(), kSchemes.end(),
        [scheme](std::string_view known) { return equal_ignoring_case(scheme, known); });
    take(secret, one_word ? end_of_word(secret) : end_of_line_or_quote(secret));
  }

  // Without a header's name, only text too long for a word of a sentence counts.
  void bearer() {
    constexpr std::size_t kLeast = 16;
    const std::size_t begin = skip_blanks(at_);
    const std::size_t end = end_of_word(begin);
    if (begin > at_ && end - begin >= kLeast) take(begin, end);
  }

  std::size_t end_of_word(std::size_t at) const {
    while (at < text_.size() && !is_space(text_[at]) && quote_at(at) == 0) ++at;
    return at;
  }
  std::size_t end_of_line_or_quote(std::size_t at) const {
    while (at < text_.size() && text_[at] != '\n' && quote_at(at) == 0) ++at;
    return at;
  }

  SecretSpan value_at(std::size_t at) const {
    if (peek(at) == '$' && quote_at(at + 1) > 0) ++at;  // $'…'
    const std::size_t quote = quote_at(at);
    if (quote > 0) return quoted_at(at, quote);
    std::size_t end = at;
    while (end < text_.size() && !ends_value(end)) end += text_[end] == '\\' ? 2U : 1U;
    return {at, std::min(end, text_.size())};
  }

  bool ends_value(std::size_t at) const {
    constexpr std::string_view kShell = ";&|<>()`";
    constexpr std::string_view kBehindColon = ",}]";
    const char c = text_[at];
    return is_space(c) || quote_at(at) > 0 || kShell.find(c) != kNone ||
           (colon_ && kBehindColon.find(c) != kNone);
  }

  // Takes the rest of the line when the quote is not closed.
  SecretSpan quoted_at(std::size_t at, std::size_t quote) const {
    const std::string_view mark = text_.substr(at, quote);
    const std::size_t begin = at + quote;
    for (std::size_t end = begin; end < text_.size(); ++end) {
      if (text_.substr(end).starts_with(mark)) return {begin, end};
      if (mark == "\"" && text_[end] == '\\') ++end;
    }
    return {begin, std::min(text_.find('\n', begin), text_.size())};
  }

  std::string_view text_;
  SecretSpans& spans_;
  std::size_t at_ = 0;
  bool colon_ = false;  // the separator was a colon
};

}  // namespace

bool is_reference(std::string_view value) {
  if (value.starts_with('\\')) value.remove_prefix(1);
  if (value.starts_with("$(") || value.starts_with('`')) return true;
  if (value.size() < 2 || value[0] != '$') return false;
  value.remove_prefix(1);
  if (value[0] == '{' && value.back() == '}') value = value.substr(1, value.size() - 2);
  return !value.empty() &&
         std::all_of(value.begin(), value.end(), [](char c) { return is_alnum(c) || c == '_'; });
}

bool is_secret_behind_maybe(std::string_view value) {
  if (value.empty() || value[0] == '/' || value[0] == '~' || value[0] == '.') return false;
  return !std::all_of(value.begin(), value.end(), is_digit);
}

bool is_harmless(std::string_view value) {
  constexpr std::array<std::string_view, 9> kPlain = {"true", "false", "yes",  "no", "on",
                                                      "off",  "none",  "null", kMask};
  return value.empty() || value == "$" || is_reference(value) ||
         std::any_of(kPlain.begin(), kPlain.end(),
                     [value](std::string_view plain) { return equal_ignoring_case(value, plain); });
}

void find_named_values(std::string_view text, SecretSpans& spans) {
  NamedValues(text, spans).find();
}

void find_url_passwords(std::string_view text, SecretSpans& spans) {
  constexpr std::string_view kBehindScheme = "://";
  constexpr std::string_view kEnds = "/?#\"'`<>\\ \t\r\n";
  constexpr std::size_t kLeastTokenUser = 20;  // https://TOKEN@host
  for (std::size_t at = text.find(kBehindScheme); at != std::string_view::npos;
       at = text.find(kBehindScheme, at)) {
    const bool is_http =
        text.substr(0, at).ends_with("http") || text.substr(0, at).ends_with("https");
    at += kBehindScheme.size();
    const std::size_t end = std::min(text.find_first_of(kEnds, at), text.size());
    const std::string_view authority = text.substr(at, end - at);
    const std::size_t host = authority.rfind('@');
    if (host == std::string_view::npos) continue;
    const std::string_view user = authority.substr(0, host);
    const std::size_t colon = user.find(':');
    if (colon != std::string_view::npos && !is_harmless(user.substr(colon + 1))) {
      spans.push_back({at + colon + 1, at + host});
    } else if (colon == std::string_view::npos && is_http && user.size() >= kLeastTokenUser &&
               !is_harmless(user)) {
      spans.push_back({at, at + host});
    }
  }
}

}  // namespace gibbous
