// Members of JSON objects. Untrusted values can have any shape, so a wrong type counts as absent.
// Pure, any thread.
#pragma once

#include <string>

#include "bindings/json/json.h"

namespace gibbous {

// Returns null when `value` is not an object, or the member is absent or null.
const Json* find_member(const Json& value, const std::string& name);
// Returns null when there is no such member, or when it is not a string.
const std::string* find_text(const Json& value, const std::string& name);
// The member's text, or "".
std::string text_member(const Json& value, const std::string& name);

}  // namespace gibbous
