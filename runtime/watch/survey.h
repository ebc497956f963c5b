// Surveys bytes at memory speed: whether a block of lines is already what a person sees of it.
// LineBlock uses it. Pure, any thread.
#pragma once

#include <cstdint>
#include <string_view>

namespace gibbous {

struct ByteSurvey {
  std::uint64_t newlines = 0;
  bool controls = false;  // any but tab and newline
  bool beyond_ascii = false;
};
ByteSurvey survey(std::string_view bytes);

// The characters beyond ASCII in a text.
struct BeyondAscii {
  bool clean = true;     // valid UTF-8 without controls; sometimes false although it is
  bool folding = false;  // a folding character (required_literals.h)
};
BeyondAscii look_beyond_ascii(std::string_view text);

}  // namespace gibbous
