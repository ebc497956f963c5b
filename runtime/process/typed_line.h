// The line that is being typed into a terminal. StdinWriter counts it. Loop thread only.
#pragma once

#include <cstddef>
#include <string_view>

namespace gibbous {

// While programs read whole lines (canonical mode), a terminal keeps so many bytes of a line, and
// drops the rest up to its end.
inline constexpr std::size_t kMaxTypedLine = 4095;

// Counts the bytes of the line that is being typed through a master, by the settings that its
// programs have given it.
class TypedLine {
 public:
  // Returns the length of the first line that would be cut if `bytes` were typed now; 0: none would
  // be, and they are counted as typed.
  std::size_t type(int master, std::string_view bytes);

 private:
  std::size_t bytes_ = 0;
  bool quoted_ = false;  // the next byte has no meaning of its own (^V)
};

}  // namespace gibbous
