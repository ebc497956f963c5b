// InputFilter: makes the output of programs safe for libvterm. Three things must not reach libvterm
// 0.1: "repeat the last character" (REP, CSI Ps b) hangs it without a last character and writes
// past its rows with a wide one; the control characters U+0080 to U+009F move its cursor out of the
// screen; and a control character between the bytes of another character hides those. So libvterm
// gets valid UTF-8 in whole characters, with repeated characters written out. Loop thread only.
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

  // Takes bytes in pieces of any size; a repetition writes at most `most` characters. A sequence
  // that restores a saved cursor ends the written piece, because that place may be outside a screen
  // that has shrunk since.
  void pass(std::string_view bytes, std::size_t most, const Write& write);

 private:
  // In doubt, a sequence counts as longer than in libvterm: its end must not be missed.
  enum class State : std::uint8_t { kGround, kEscape, kSequence, kString };

  std::size_t pass_ascii(std::string_view bytes, std::size_t most, const Write& write);
  std::size_t pass_wide(std::string_view bytes, const Write& write);
  // Which sequence a byte ends: a REP, or one that may restore a saved cursor.
  enum class Step : std::uint8_t { kOn, kRepeat, kRestore };
  Step step(char byte);
  void begin(char byte);
  Step go_on(char byte);
  void repeat(std::size_t most, const Write& write) const;

  State state_ = State::kGround;
  bool plain_ = true;       // kSequence: it has only numbers
  bool first_ = true;       // kSequence: in its first number
  std::size_t number_ = 0;  // kSequence: its first number
  std::string last_;        // the character that would be repeated
  std::string incomplete_;  // the beginning of a character
};

}  // namespace gibbous
