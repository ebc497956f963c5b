#include "runtime/output/merged_text.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace gibbous {
namespace {

// Where a part of the order begins in the text.
struct Place {
  std::size_t at = 0;
  std::size_t hole_at = 0;  // where the line for the hole before it begins
  Offset from = 0;
  Offset to = 0;
  std::uint64_t line = 0;
};

struct JoinedText {
  std::string bytes;
  std::vector<Place> places;

  const Place& place_of(Offset at) const {
    const auto after = std::find_if(places.begin(), places.end(),
                                    [at](const Place& place) { return place.at > at; });
    return *std::prev(after);
  }

  // Returns the offset in the order; of a line for a hole that of the end of the hole.
  Offset offset_of(Offset at) const {
    const Place& place = place_of(at);
    if (at <= place.at + (place.to - place.from)) return place.from + (at - place.at);
    return (&place + 1)->from;
  }

  // Returns the holes between these places in the text.
  std::vector<Gap> gaps(Offset from, Offset to) const {
    std::vector<Gap> gaps;
    for (std::size_t i = 1; i < places.size(); ++i) {
      const bool is_inside = places[i].hole_at >= from && places[i].at <= to;
      if (is_inside) gaps.push_back({places[i - 1].to, places[i].from});
    }
    return gaps;
  }
};

std::string hole_line(const ArrivalOrder::Offsets& lost) {
  const char* name = lost[1] == 0 ? " bytes of stdout" : " bytes of stderr";
  if (lost[0] > 0 && lost[1] > 0) name = " bytes";
  return "[" + std::to_string(lost[0] + lost[1]) + name + " not kept]\n";
}

// Drops the end of a line that lies before the first whole one, where there is one.
void drop_line_end(ArrivalOrder::Part* part) {
  const std::size_t end = part->bytes.find('\n') + 1;  // 0 without one
  part->bytes.erase(0, end);
  part->from += end;
  part->line += end > 0 ? 1 : 0;
}

JoinedText join(std::vector<ArrivalOrder::Part> parts) {
  JoinedText text;
  for (ArrivalOrder::Part& part : parts) {
    Place place{0, 0, part.from, part.to, part.line};
    if (!text.places.empty()) {
      if (!text.bytes.empty() && text.bytes.back() != '\n') text.bytes += '\n';
      place.hole_at = text.bytes.size();
      text.bytes += hole_line(part.lost);
    }
    place.at = text.bytes.size();
    text.bytes += part.bytes;
    text.places.push_back(place);
  }
  return text;
}

// Returns the number of the line that begins at a place in the text.
std::uint64_t line_of(const JoinedText& text, Offset at) {
  const Place& place = text.place_of(at);
  const auto begin = text.bytes.begin() + static_cast<std::ptrdiff_t>(place.at);
  const auto end = text.bytes.begin() + static_cast<std::ptrdiff_t>(at);
  return place.line + static_cast<std::uint64_t>(std::count(begin, end, '\n'));
}

}  // namespace

MergedSlice read_merged(const ArrivalOrder& order, const ArrivalOrder::Streams& streams,
                        Offset from, std::size_t max) {
  MergedSlice merged;
  Slice& slice = merged.slice;
  JoinedText text = join(order.read(streams, from, max));
  if (text.places.empty()) {
    slice.from = slice.to = order.end();
    return merged;
  }
  merged.gaps = text.gaps(0, text.bytes.size());
  slice.from = text.places.front().from;
  slice.to = text.places.back().to;
  slice.bytes = std::move(text.bytes);
  if (slice.from > from) slice.gap = Gap{from, slice.from};
  return merged;
}

MergedLines tail_merged(const ArrivalOrder& order, const ArrivalOrder::Streams& streams,
                        std::uint64_t count, std::size_t max_bytes) {
  std::vector<ArrivalOrder::Part> parts =
      order.read(streams, 0, std::numeric_limits<std::size_t>::max());
  MergedLines merged;
  Lines& lines = merged.lines;
  lines.from = lines.to = order.end();
  if (parts.empty()) return merged;
  if (parts.front().from > 0) drop_line_end(&parts.front());
  const JoinedText text = join(std::move(parts));
  // The ring tells by one byte more whether its first byte begins a line.
  Stream all(text.bytes.size() + 1, 0);
  all.append(text.bytes);
  all.set_ended();
  lines = all.tail(count, max_bytes);
  merged.gaps = text.gaps(lines.from, lines.to);
  lines.first_line = line_of(text, lines.from);
  const Offset from = text.offset_of(lines.from);
  const Offset first = text.places.front().from;
  if (first > 0 && count > all.line_count()) {
    lines.gap = Gap{0, from};
  } else if (lines.gap) {
    lines.gap = Gap{text.offset_of(lines.gap->from), from};
  }
  lines.from = from;
  lines.to = text.places.back().to;
  return merged;
}

}  // namespace gibbous
