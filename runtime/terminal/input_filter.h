// InputFilter: what programs write to a terminal, as libvterm can take it. Of libvterm 0.1 three
// things must not reach it: "repeat the last character" (REP, CSI Ps b) hangs it where there is
// none and writes past its rows with a wide one; the control characters U+0080 to U+009F move its
// cursor out of the screen; and a control character in the middle of another one's bytes hides
// these. So it gets valid UTF-8 in whole characters, and repeated characters written out. Loop
// thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace gibbous {

class InputFilter {
 public:
  using Write = std::function<void(std::string_view)>;

  // Bytes in pieces of any size; a repetition writes at most `most` characters. What restores a
  // saved cursor ends a piece that is written: it may be outside a screen that has shrunk since.
  void pass(std::string_view bytes, std::size_t most, const Write& write);

 private:
  // In doubt it takes a sequence for longer than libvterm does: no end of one may be missed.
  enum class State : std::uint8_t { kGround, kEscape, kSequence, kString };

  std::size_t pass_ascii(std::string_view bytes, std::size_t most, const Write& write);
  std::size_t pass_wide(std::string_view bytes, const Write& write);
  // The sequence that ends with a byte: a REP, or one that may restore a saved cursor.
  enum class Step : std::uint8_t { kOn, kRepeat, kRestore };
  Step step(char byte);
  void begin(char byte);
  Step go_on(char byte);
  void repeat(std::size_t most, const Write& write) const;

  State state_ = State::kGround;
  bool plain_ = true;       // kSequence: it has nothing but numbers
  bool first_ = true;       // kSequence: in its first number
  std::size_t number_ = 0;  // kSequence: that
  std::string last_;        // the character that would be repeated
  std::string incomplete_;  // the beginning of a character
};

}  // namespace gibbous
