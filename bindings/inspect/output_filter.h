// OutputFilter: what a program wrote, made fit to be shown, piece by piece, as it comes. Whatever
// could do more to a terminal than write on its current line in colours is left out: cursor
// movements, titles, clipboards, queries, modes. One stream, one thread.
#pragma once

#include <string>
#include <string_view>

namespace gibbous::inspect {

class OutputFilter {
 public:
  enum class Form : unsigned char {
    kColour,  // colours, returns, backspaces and erasing within the line are kept
    kPlain,   // only text, \t and \n; \r\n is \n, a lone \r is kept
  };
  explicit OutputFilter(Form form) : form_(form) {}

  // Valid UTF-8. A sequence that is cut at the end of `bytes` waits for its rest.
  std::string feed(std::string_view bytes);
  // What still waits, when nothing more comes.
  std::string finish();
  // Colours are on, as of what was given out: who writes something else resets them before.
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
