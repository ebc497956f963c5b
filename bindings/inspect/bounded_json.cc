// See bounded_json.h.
#include "bindings/inspect/bounded_json.h"

#include "runtime/journal/record.h"

namespace gibbous::inspect {
namespace {

constexpr std::size_t kMaxLevels = 64;

}  // namespace

Json parse_object(std::string_view text) {
  if (text.empty() || text.size() > kMaxJournalTextBytes || nests_deeper(text, kMaxLevels)) {
    return Json::object();
  }
  Json value = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  return value.is_object() ? value : Json::object();
}

std::string one_line(const OrderedJson& value) {
  return value.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

}  // namespace gibbous::inspect
