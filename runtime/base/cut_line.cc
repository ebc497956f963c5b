#include "runtime/base/cut_line.h"

#include <algorithm>

namespace gibbous {
namespace {

constexpr std::string_view kLeftOut = "…";
// Where the end of a line does not matter, its beginning gets this part of what is shown.
constexpr std::size_t kHeadPart = 4;

bool splits_character(std::string_view line, std::size_t at) {
  return at < line.size() && (static_cast<unsigned char>(line[at]) & 0xC0U) == 0x80;
}

std::size_t rounded_down(std::string_view line, std::size_t at) {
  while (at > 0 && splits_character(line, at)) --at;
  return at;
}

std::size_t rounded_up(std::string_view line, std::size_t at) {
  while (splits_character(line, at)) ++at;
  return at;
}

}  // namespace

LineParts choose_parts(std::string_view line, std::size_t max_bytes, LinePlace place) {
  if (line.size() <= max_bytes) return {line.size(), line.size(), line.size()};
  const std::size_t at = std::min(place.at, line.size());
  const std::size_t bytes = std::min(place.bytes, line.size() - at);
  if (bytes > 0 && at + bytes <= max_bytes) {
    const std::size_t head = rounded_down(line, max_bytes);
    return {head, head, head};
  }
  const std::size_t head = max_bytes / (bytes > 0 ? kHeadPart : 2);
  const std::size_t window = max_bytes - head;
  const std::size_t before = (window - std::min(window, bytes)) / 2;
  std::size_t from = line.size() - window;
  if (bytes > 0) from = std::max(std::min(from, at - std::min(at, before)), head);
  LineParts parts{rounded_down(line, head), rounded_up(line, from), 0};
  parts.to = std::max(parts.from, rounded_down(line, std::min(from + window, line.size())));
  return parts;
}

std::string cut_line(std::string_view line, std::size_t max_bytes, LinePlace place,
                     std::size_t* at) {
  if (at != nullptr) *at = place.at;
  if (line.size() <= max_bytes) return std::string(line);
  const std::size_t marks = std::min(max_bytes, 2 * kLeftOut.size());
  const LineParts parts = choose_parts(line, max_bytes - marks, place);
  std::string text(line.substr(0, parts.head));
  if (parts.from > parts.head) text += kLeftOut;
  if (at != nullptr && place.at >= parts.from) *at = text.size() + place.at - parts.from;
  text += line.substr(parts.from, parts.to - parts.from);
  if (parts.to < line.size()) text += kLeftOut;
  return text;
}

}  // namespace gibbous
