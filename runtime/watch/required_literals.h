// Finds the literals that a text must hold for a regex to match it, which makes scanning fast. The
// compilation of a regex calls it. Pure, any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gibbous {

inline constexpr std::size_t kMinLiteralBytes = 3;

// Returns ASCII literals with lower-case letters and without line ends. Every line in which RE2
// finds `regex` holds at least one of them, in upper or lower case, or one of kFoldingCharacters.
// An empty result allows no conclusion. `regex` must compile.
std::vector<std::string> required_literals(const std::string& regex);

// The characters beyond ASCII that RE2 may take for ASCII letters: U+0130 (i), U+017F (s) and
// U+212A (k).
inline constexpr std::string_view kFoldingCharacters[] = {"\xC4\xB0", "\xC5\xBF", "\xE2\x84\xAA"};

}  // namespace gibbous
