// The members of a JSON object as pieces of its text, so that ids and arguments are passed on
// exactly as they came: no number loses digits, no key is dropped, nothing is printed anew. Pure,
// any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "gibbous/status.h"

namespace gibbous::cli {

struct JsonMember {
  std::string key;
  std::string_view value;  // JSON text inside the object's
};

// Fails on what is no JSON, no object, nested deeper than max_depth, or names a key twice.
Result<std::vector<JsonMember>> json_members(std::string_view object, std::size_t max_depth);

// "an object", "a string", ... of valid JSON text.
const char* json_kind(std::string_view value);

// Valid JSON text of a string as UTF-8, and back.
std::string json_unquote(std::string_view value);
std::string json_quote(std::string_view text);

}  // namespace gibbous::cli
