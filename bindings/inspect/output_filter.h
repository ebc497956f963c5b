// OutputFilter: makes the output of a program safe for a terminal, piece by piece. It keeps text
// and colours and removes everything that could do more than write on the current line: cursor
// movements, titles, clipboard access, queries, modes. One stream, one thread.
#pragma once

#include <string>
#include <string_view>

namespace gibbous::inspect {

class OutputFilter {
 public:
  enum class Form : unsigned char {
    kColour,  // keeps colours, returns, backspaces and erasing within the line
    kPlain,   // keeps text, \t and \n; turns \r\n into \n
  };
  explicit OutputFilter(Form form) : form_(form) {}

  // Returns valid UTF-8. A sequence that is incomplete at the end of `bytes` waits for its rest.
  std::string feed(std::string_view bytes);
  // Returns the bytes that still wait.
  std::string finish();
  // Returns true when a colour is active after the last output; other text must reset it first.
  bool coloured() const { return coloured_; }

 private:
  void pass(std::string_view bytes, std::string& text);
  std::size_t special(std::string_view bytes, std::string& text);
  bool keeps(std::string_view sequence);

  Form form_;
  std::string held_;
  bool coloured_ = false;
};

inline constexpr std::string_view kResetColours = "\x1b[0m";

}  // namespace gibbous::inspect
