// Reads the members of a JSON object whose values are all strings, and writes single strings: what
// programs that ask often send and get. No value is built, which takes most of the time otherwise.
// Pure, any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gibbous {

// Its members in the order of the text.
using FlatMembers = std::vector<std::pair<std::string, std::string>>;

// Returns false for any other text, valid or not, which is for a parser; `members` has no meaning
// then. Text with anything but ASCII, with \u, or with a name twice, counts as other.
bool read_flat_object(std::string_view text, FlatMembers* members);

// Appends `text` as a JSON string; each invalid byte becomes U+FFFD.
void append_json_text(std::string_view text, std::string* to);

}  // namespace gibbous
