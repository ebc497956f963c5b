// Writes JSON as text, and reads untrusted text. For everything below bindings/. Pure, any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "bindings/json/json.h"

namespace gibbous {

// One line of valid UTF-8: each invalid byte becomes U+FFFD.
std::string to_text(const Json& value);
std::string to_text(const OrderedJson& value);

// Returns the members of an object for people: 'id "Ab3xK9mZ", lines 50'.
std::string in_words(const Json& object);

// Returns an empty object unless the text is a JSON object of at most `max_bytes` and 64 levels.
Json parse_object(std::string_view text, std::size_t max_bytes);

}  // namespace gibbous
