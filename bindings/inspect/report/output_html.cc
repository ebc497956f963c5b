// See output_html.h.
#include "bindings/inspect/report/output_html.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>

#include "bindings/inspect/report/html.h"
#include "runtime/output/escape.h"
#include "runtime/output/text.h"

namespace gibbous::report {
namespace {

constexpr std::size_t kMaxCodes = 32;  // of one sequence
constexpr std::uint32_t kBright = 8;

std::uint32_t rgb(std::uint32_t red, std::uint32_t green, std::uint32_t blue) {
  return (red & 0xFFU) << 16U | (green & 0xFFU) << 8U | (blue & 0xFFU);
}

// The 256 colours of xterm: a palette of 16, a cube of 6*6*6, and 24 greys.
Ink indexed(std::uint32_t index) {
  constexpr std::uint32_t kPaletteEnd = 16;
  constexpr std::uint32_t kCubeEnd = 232;
  if (index < kPaletteEnd) return {Ink::Kind::kPalette, index};
  if (index < kCubeEnd) {
    const std::uint32_t place = index - kPaletteEnd;
    const auto level = [](std::uint32_t step) { return step == 0 ? 0 : 55 + 40 * step; };
    return {Ink::Kind::kRgb, rgb(level(place / 36), level(place / 6 % 6), level(place % 6))};
  }
  const std::uint32_t grey = 8 + 10 * (std::min<std::uint32_t>(index, 255) - kCubeEnd);
  return {Ink::Kind::kRgb, rgb(grey, grey, grey)};
}

std::string hex(std::uint32_t value) {
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "#%06x", value & 0xFFFFFFU);
  return text.data();
}

// Uses classes for colours that the theme decides, and a style for exact ones.
std::string open_span(const Style& style) {
  std::string classes;
  std::string css;
  const auto add = [&](const Ink& ink, char prefix, const char* property) {
    if (ink.kind != Ink::Kind::kDefault && prefix == 'g') classes += " h";
    if (ink.kind == Ink::Kind::kPalette) {
      classes += std::string(" ") + prefix + std::to_string(ink.value);
    } else if (ink.kind == Ink::Kind::kRgb) {
      css += std::string(property) + ":" + hex(ink.value) + ";";
    }
  };
  const Ink& text = style.inverse ? style.ground : style.text;
  const Ink& ground = style.inverse ? style.text : style.ground;
  add(text, 'f', "color");
  add(ground, 'g', "background");
  if (style.inverse && text.kind == Ink::Kind::kDefault) classes += " fi";
  if (style.inverse && ground.kind == Ink::Kind::kDefault) classes += " gi";
  if (style.bold) classes += " b";
  if (style.dim) classes += " d";
  if (style.italic) classes += " i";
  if (style.underline) classes += " u";
  std::string span = "<span";
  if (!classes.empty()) span += " class=\"" + classes.substr(1) + "\"";
  if (!css.empty()) span += " style=\"" + css + "\"";
  return span + ">";
}

// Reads the numbers of an SGR sequence such as "\x1b[1;31m"; colons count as semicolons.
std::size_t codes_of(std::string_view escape, std::array<std::uint32_t, kMaxCodes>& codes) {
  constexpr std::size_t kIntroducer = 2;
  if (escape.size() <= kIntroducer || escape[1] != '[' || escape.back() != 'm') return 0;
  const std::string_view all = escape.substr(kIntroducer, escape.size() - kIntroducer - 1);
  if (all.find_first_not_of("0123456789;:") != std::string_view::npos) return 0;
  std::size_t count = 0;
  for (std::size_t at = 0; at <= all.size() && count < codes.size();) {
    const std::size_t end = std::min(all.find_first_of(";:", at), all.size());
    std::uint32_t code = 0;
    std::from_chars(all.data() + at, all.data() + end, code);
    codes[count++] = code;
    at = end + 1;
  }
  return count;
}

}  // namespace

bool Style::is_plain() const {
  return text.kind == Ink::Kind::kDefault && ground.kind == Ink::Kind::kDefault && !bold && !dim &&
         !italic && !underline && !inverse;
}

std::string OutputHtml::line(std::string_view raw) {
  const std::string shown = clean(raw, {.strip_ansi = false});
  std::string html;
  std::string_view rest = shown;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find_first_of("\x1b\xC2"), rest.size());
    std::size_t text_end = end;
    Escape escape;
    if (end < rest.size()) escape = escape_at(rest.substr(end));
    if (escape.size == 0) text_end = std::min(end + 1, rest.size());
    // A lead byte that does not begin a control belongs to the character after it.
    while (text_end < rest.size() && text_end > end &&
           (static_cast<unsigned char>(rest[text_end]) & 0xC0U) == 0x80U) {
      ++text_end;
    }
    if (text_end > 0) {
      if (!style_.is_plain()) html += open_span(style_);
      append_escaped(html, rest.substr(0, text_end));
      if (!style_.is_plain()) html += "</span>";
    }
    if (escape.size > 0) sequence(rest.substr(end, escape.size));
    rest.remove_prefix(text_end + escape.size);
  }
  return html;
}

void OutputHtml::sequence(std::string_view escape) {
  std::array<std::uint32_t, kMaxCodes> codes{};
  const std::size_t count = codes_of(escape, codes);
  for (std::size_t at = 0; at < count; ++at) {
    constexpr std::uint32_t kText = 38;
    constexpr std::uint32_t kGround = 48;
    if (codes[at] == kText || codes[at] == kGround) {
      Ink& ink = codes[at] == kText ? style_.text : style_.ground;
      at += extended(codes.data() + at + 1, count - at - 1, ink);
    } else {
      set(codes[at]);
    }
  }
}

// Reads "5;N" or "2;R;G;B" after 38 or 48. Returns the number of codes that it used.
std::size_t OutputHtml::extended(const std::uint32_t* codes, std::size_t count, Ink& ink) {
  if (count >= 2 && codes[0] == 5) {
    ink = indexed(codes[1]);
    return 2;
  }
  if (count >= 4 && codes[0] == 2) {
    ink = {Ink::Kind::kRgb, rgb(codes[1], codes[2], codes[3])};
    return 4;
  }
  return count;
}

void OutputHtml::set(std::uint32_t code) {
  if (code == 0) style_ = {};
  if (code == 1) style_.bold = true;
  if (code == 2) style_.dim = true;
  if (code == 3) style_.italic = true;
  if (code == 4) style_.underline = true;
  if (code == 7) style_.inverse = true;
  if (code == 22) style_.bold = style_.dim = false;
  if (code == 23) style_.italic = false;
  if (code == 24) style_.underline = false;
  if (code == 27) style_.inverse = false;
  if (code == 39) style_.text = {};
  if (code == 49) style_.ground = {};
  if (code >= 30 && code <= 37) style_.text = {Ink::Kind::kPalette, code - 30};
  if (code >= 40 && code <= 47) style_.ground = {Ink::Kind::kPalette, code - 40};
  if (code >= 90 && code <= 97) style_.text = {Ink::Kind::kPalette, code - 90 + kBright};
  if (code >= 100 && code <= 107) style_.ground = {Ink::Kind::kPalette, code - 100 + kBright};
}

}  // namespace gibbous::report
