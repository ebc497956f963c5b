#include <re2/re2.h>

#include <algorithm>
#include <string_view>

#include "runtime/command/lazy_regex.h"
#include "runtime/rules/index.h"

namespace gibbous::rules {
namespace {

constexpr std::size_t kMaxExpressionBytes = std::size_t{64} << 10;
constexpr std::int64_t kMaxListedMemory = std::int64_t{4} << 20;

// A `?` is one character of UTF-8.
std::string expression_of(std::string_view glob) {
  std::string made;
  while (!glob.empty()) {
    const std::size_t end = std::min(glob.find_first_of("*?"), glob.size());
    made += re2::RE2::QuoteMeta({glob.data(), end});
    if (end < glob.size()) made += glob[end] == '*' ? ".*" : ".[\\x80-\\xbf]{0,3}";
    glob.remove_prefix(std::min(end + 1, glob.size()));
  }
  return made;
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char byte) { return byte > 0; });
}

}  // namespace

bool ListedArguments::add(const Rule& rule) {
  std::string made;
  for (const Pattern& pattern : rule.arguments) {
    // Others see characters, not bytes.
    if (!is_ascii(pattern.text)) return false;
    const auto& regex = pattern.regex;
    if (regex && regex->options().encoding() != re2::RE2::Options::EncodingLatin1) return false;
    const std::string each =
        pattern.regex ? pattern.text.substr(kRegexPrefix.size()) : expression_of(pattern.text);
    made += (made.empty() ? "(?:" : "|(?:") + each + ")";
  }
  if (expression_.size() + made.size() > kMaxExpressionBytes) return false;
  expression_ += (expression_.empty() ? "" : "|") + made;
  return true;
}

bool ListedArguments::may_hold(const command::SimpleCommand& command) const {
  if (expression_.empty() || command.argv.size() < 2) return false;
  if (asked_.load(std::memory_order_relaxed) < kUnaided) {
    asked_.fetch_add(1, std::memory_order_relaxed);
    return true;
  }
  std::call_once(once_, [this] {
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_never_capture(true);
    options.set_dot_nl(true);
    options.set_max_mem(kMaxListedMemory);
    options.set_encoding(re2::RE2::Options::EncodingLatin1);
    auto regex = std::make_shared<const re2::RE2>(expression_, options);
    if (regex->ok()) regex_ = std::move(regex);
  });
  if (regex_ == nullptr) return true;
  return std::any_of(command.argv.begin() + 1, command.argv.end(), [&](const command::Value& word) {
    if (!word.literal()) return true;
    const std::string& text = word.text;
    return regex_->Match({text.data(), text.size()}, 0, text.size(), re2::RE2::ANCHOR_BOTH, nullptr,
                         0);
  });
}

}  // namespace gibbous::rules
