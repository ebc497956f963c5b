// One character as a number, and back. Pure, any thread.
#pragma once

#include <string>
#include <string_view>

namespace gibbous {

// `sequence` must be one valid UTF-8 sequence.
char32_t code_point(std::string_view sequence);
// Appends U+FFFD for a number that is no character.
void append_utf8(std::string& text, char32_t character);
std::string to_utf8(char32_t character);

}  // namespace gibbous
