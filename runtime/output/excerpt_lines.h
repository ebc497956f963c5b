// ExcerptLines: the kept bytes of a stream as the units that an excerpt is chosen from. A unit is a
// line as a person would see it, or a run of equal lines, or the place where bytes are gone. Used
// by excerpt() alone; holds a copy of the kept bytes while it lives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/output/excerpt.h"
#include "runtime/output/stream.h"

namespace gibbous {

enum class NoteStyle : std::uint8_t { kNone, kShort, kLong };

struct ExcerptUnit {
  std::size_t begin = 0;      // in the copy; it goes to the next unit's begin
  std::uint32_t cost = 0;     // bytes of its text, the line end included even where it has none
  std::uint32_t repeats = 0;  // how often the line follows itself
  bool is_error = false;
  bool is_gone = false;  // no line: bytes that are not kept
};

class ExcerptLines {
 public:
  explicit ExcerptLines(const Stream& stream);

  // Cuts the copy into units; lines are clamped to max_line_bytes.
  void split(std::size_t max_line_bytes, NoteStyle notes);

  const std::vector<ExcerptUnit>& units() const { return units_; }
  bool has_gone() const { return gone_.to > gone_.from; }
  const Gap& gone() const { return gone_; }
  Offset begin_of(std::size_t unit) const;
  Offset end_of(std::size_t unit) const;
  // Appends the unit's text, and to `cut` what is clamped off.
  void render(std::size_t unit, std::string& text, std::vector<Gap>& cut) const;

 private:
  class Splitter;
  void render(const ExcerptUnit& unit, std::size_t end, std::string& text,
              std::vector<Gap>& cut) const;
  Offset offset_at(const ExcerptUnit& unit) const;

  std::string bytes_;
  std::size_t gone_at_ = 0;  // where in bytes_ the gone bytes were
  Gap gone_;
  std::size_t max_line_bytes_ = 0;
  NoteStyle notes_ = NoteStyle::kLong;
  std::vector<ExcerptUnit> units_;
};

// 12345 as "12,345".
std::string with_commas(std::uint64_t number);
// "1000–13345".
std::string offset_range(const Gap& gap);

}  // namespace gibbous
