#include "bindings/host/redacted_words.h"

#include <string>
#include <utility>

namespace gibbous::host {

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
