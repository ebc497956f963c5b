// See media_type.h.
#include "bindings/mcp/http/media_type.h"

#include <algorithm>
#include <string>

namespace gibbous::mcp::http {

bool names_type(std::string_view list, std::string_view type) {
  while (!list.empty()) {
    std::string_view each = list.substr(0, list.find_first_of(",;"));
    const std::size_t comma = list.find(',');
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
    const auto is_blank = [](char letter) { return letter == ' ' || letter == '\t'; };
    while (!each.empty() && is_blank(each.front())) each.remove_prefix(1);
    while (!each.empty() && is_blank(each.back())) each.remove_suffix(1);
    const auto same = [](char left, char right) {
      return (left >= 'A' && left <= 'Z' ? left - 'A' + 'a' : left) == right;
    };
    if (std::equal(each.begin(), each.end(), type.begin(), type.end(), same)) return true;
  }
  return false;
}

bool accepts(const RequestHead& head, std::string_view type) {
  if (head.count("accept") == 0) return true;
  const std::string whole_group = std::string(type.substr(0, type.find('/'))) + "/*";
  for (const auto& [name, value] : head.fields) {
    if (name != "accept") continue;
    if (names_type(value, type) || names_type(value, whole_group) || names_type(value, "*/*")) {
      return true;
    }
  }
  return false;
}

}  // namespace gibbous::mcp::http
