#include "bindings/json/member.h"

namespace gibbous {

const Json* find_member(const Json& value, const std::string& name) {
  if (!value.is_object()) return nullptr;
  const auto found = value.find(name);
  return found == value.end() || found->is_null() ? nullptr : &*found;
}

const std::string* find_text(const Json& value, const std::string& name) {
  const Json* found = find_member(value, name);
  return found != nullptr && found->is_string() ? &found->get_ref<const std::string&>() : nullptr;
}

std::string text_member(const Json& value, const std::string& name) {
  const std::string* found = find_text(value, name);
  return found == nullptr ? std::string() : *found;
}

}  // namespace gibbous
