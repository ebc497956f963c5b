// Finds the lines that a terminal would show differently, by a fast look at their bytes, and cleans
// an ordinary coloured log line fast. wait and watch match lines with it. Pure, any thread.
#pragma once

#include <string>
#include <string_view>

namespace gibbous {

struct ByteKinds {
  bool returns = false;   // '\r'
  bool controls = false;  // ESC, and all other controls but '\t', '\n' and '\r'
  bool beyond_ascii = false;
};
ByteKinds byte_kinds(std::string_view text);

// Returns true if clean(line) == line is certain, apart from '\n'. `kinds` are those of `text`.
bool is_clean(std::string_view text, ByteKinds kinds);

// Appends clean(line); `line` has no '\n'.
void append_clean(std::string_view line, std::string& out);

}  // namespace gibbous
