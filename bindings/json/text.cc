// See text.h.
#include "bindings/json/text.h"

namespace gibbous {
namespace {

constexpr int kOneLine = -1;
constexpr std::size_t kMaxLevels = 64;

}  // namespace

std::string to_text(const Json& value) {
  return value.dump(kOneLine, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

std::string to_text(const OrderedJson& value) {
  return value.dump(kOneLine, ' ', /*ensure_ascii=*/false, OrderedJson::error_handler_t::replace);
}

std::string in_words(const Json& object) {
  std::string words;
  for (const auto& [name, value] : object.items()) {
    words += (words.empty() ? "" : ", ") + name + " " + to_text(value);
  }
  return words;
}

Json parse_object(std::string_view text, std::size_t max_bytes) {
  if (text.empty() || text.size() > max_bytes || nests_deeper(text, kMaxLevels)) {
    return Json::object();
  }
  Json value = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!value.is_object()) value = Json::object();
  return value;
}

}  // namespace gibbous
