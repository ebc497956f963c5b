// OutputHtml: a line of a program's output as HTML, with its colours as spans. Lines of one stream
// in their order: colours that are on at the end of a line go on in the next, but every line's
// spans are closed in it. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gibbous::report {

// A colour of SGR: none, one of the palette of 16, or 0xRRGGBB.
struct Ink {
  enum class Kind : std::uint8_t { kDefault, kPalette, kRgb };
  Kind kind = Kind::kDefault;
  std::uint32_t value = 0;
};

struct Style {
  Ink text;
  Ink ground;
  bool bold = false;
  bool dim = false;
  bool italic = false;
  bool underline = false;
  bool inverse = false;

  bool is_plain() const;
};

class OutputHtml {
 public:
  // `raw` is one line without its end, as the program wrote it.
  std::string line(std::string_view raw);

 private:
  void sequence(std::string_view escape);
  std::size_t extended(const std::uint32_t* codes, std::size_t count, Ink& ink);
  void set(std::uint32_t code);

  Style style_;
};

}  // namespace gibbous::report
