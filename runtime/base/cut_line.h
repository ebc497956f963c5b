// A long line as short text that still shows what matters in it. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gibbous {

// What matters in a line: a match, an error. Without bytes, both of its ends matter.
struct LinePlace {
  std::size_t at = 0;
  std::size_t bytes = 0;
};

// The shown parts of a line: [0, head) and [from, to). Neither cuts a character.
struct LineParts {
  std::size_t head = 0;
  std::size_t from = 0;
  std::size_t to = 0;
};

// Chooses parts of at most max_bytes: the beginning, and the surroundings of what matters.
LineParts choose_parts(std::string_view line, std::size_t max_bytes, LinePlace place);

// Returns these parts as at most max_bytes, with "…" in place of what is left out; `at` becomes the
// place of what matters in that.
std::string cut_line(std::string_view line, std::size_t max_bytes, LinePlace place = {},
                     std::size_t* at = nullptr);

}  // namespace gibbous
