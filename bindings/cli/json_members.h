// The members of a JSON object as text, so that ids and arguments go on without a loss: every
// number keeps its digits and every key its place. Pure, any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "gibbous/status.h"

namespace gibbous::cli {

struct JsonMember {
  std::string key;
  std::string value;  // JSON text without spaces between its tokens
};

// Fails with invalid_request when the text is not a JSON object, nests deeper than max_depth, or
// has a key twice.
Result<std::vector<JsonMember>> json_members(std::string_view object, std::size_t max_depth);

Status invalid_request(std::string message);

// "an object", "a string", ... of valid JSON text.
const char* json_kind(std::string_view value);

// A string as JSON text in UTF-8, and back.
std::string json_quote(std::string_view text);
std::string json_unquote(std::string_view value);

}  // namespace gibbous::cli
