#include "bindings/lua/source/faults.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace gibbous::lua {

void Faults::add(const SourcePlace& place, std::string message) {
  if (full()) return;
  ScriptError fault;
  fault.code = "policy_error";
  fault.message = std::move(message);
  fault.file = place.file;
  fault.line = place.line;
  list_.push_back(std::move(fault));
}

std::string Faults::text() const {
  std::string text;
  for (const ScriptError& fault : list_) text += (text.empty() ? "" : "\n") + fault.text();
  if (full()) text += "\nThese are the first " + std::to_string(kMaxFaults) + " faults.";
  return text;
}

void Faults::sort_from(std::size_t first) {
  const auto key = [](const ScriptError& fault) {
    return std::tie(fault.file, fault.line, fault.message);
  };
  std::sort(
      list_.begin() + static_cast<std::ptrdiff_t>(first), list_.end(),
      [&key](const ScriptError& left, const ScriptError& right) { return key(left) < key(right); });
}

const SourceIndex& Faults::sources() const {
  static const SourceIndex kNone;
  return sources_ != nullptr ? *sources_ : kNone;
}

}  // namespace gibbous::lua
