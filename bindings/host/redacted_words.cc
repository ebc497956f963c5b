#include "bindings/host/redacted_words.h"

#include <string>
#include <utility>

namespace gibbous::host {

std::string cut_text(std::string text, std::size_t most, std::size_t left_out) {
  if (text.size() > most) {
    left_out += text.size() - most;
    text.resize(most);
  }
  return left_out == 0 ? text : text + "... (" + std::to_string(left_out) + " bytes more)";
}

std::string redacted_text(const Redactor& redactor, std::string_view text, std::size_t most) {
  // Secrets begin at most this far before the cut: the longest are keys of some kilobytes.
  constexpr std::size_t kSecretBytes = std::size_t{48} << 10;
  const std::string_view seen = text.substr(0, most + kSecretBytes);
  return cut_text(redactor.redact(seen), most, text.size() - seen.size());
}

Json redacted_words(const Json& argv, const Redactor& redactor) {
  Json words = Json::array();
  std::string before;
  for (const Json& word : argv) {
    if (!word.is_string()) continue;
    const auto& text = word.get_ref<const std::string&>();
    std::string redacted = redactor.redact(text);
    if (redacted == text && !before.empty() && !text.empty()) {
      const std::string pair = before + " " + text;
      const std::string both = redactor.redact(pair);
      if (both != pair && both.size() > before.size()) redacted = both.substr(before.size() + 1);
    }
    words.push_back(std::move(redacted));
    before = text;
  }
  return words;
}

}  // namespace gibbous::host
