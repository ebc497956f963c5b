// OutputHtml: lines of output as HTML, with colours as spans. Takes the lines of one stream in
// order: a colour that is active at the end of a line continues in the next, but each line closes
// its own spans. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gibbous::report {

// An SGR colour: the default, one of the palette of 16, or 0xRRGGBB.
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
  // `raw`: a line as the program wrote it, without its end.
  std::string line(std::string_view raw);

 private:
  void sequence(std::string_view escape);
  std::size_t extended(const std::uint32_t* codes, std::size_t count, Ink& ink);
  void set(std::uint32_t code);

  Style style_;
};

}  // namespace gibbous::report
