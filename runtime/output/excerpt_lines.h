// ExcerptLines: the kept bytes of a stream as units for an excerpt. A unit is a line as a person
// would see it, a run of equal lines, or the place where bytes are gone. Only excerpt() uses it; it
// holds a copy of the kept bytes.
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
  std::size_t begin = 0;      // in the copy; the unit ends where the next one begins
  std::uint32_t cost = 0;     // bytes of its text, always with a line end
  std::uint32_t repeats = 0;  // how often the line is repeated
  bool is_error = false;
  bool is_gone = false;  // not a line, but bytes that are no longer kept
};

class ExcerptLines {
 public:
  // `patterns` outlive it.
  ExcerptLines(const Stream& stream, const ErrorPatterns& patterns);

  // Cuts the copy into units, and lines to max_line_bytes.
  void split(std::size_t max_line_bytes, NoteStyle notes);

  const std::vector<ExcerptUnit>& units() const { return units_; }
  bool has_gone() const { return gone_.to > gone_.from; }
  const Gap& gone() const { return gone_; }
  Offset begin_of(std::size_t unit) const;
  Offset end_of(std::size_t unit) const;
  // Appends the unit's text, and to `cut` what it leaves out of a long line.
  void render(std::size_t unit, std::string& text, std::vector<Gap>& cut) const;

 private:
  class Splitter;
  void render(const ExcerptUnit& unit, std::size_t end, std::string& text,
              std::vector<Gap>& cut) const;
  Offset offset_at(const ExcerptUnit& unit) const;

  const ErrorPatterns& patterns_;
  std::string bytes_;
  std::size_t gone_at_ = 0;  // where in bytes_ the gone bytes were
  Gap gone_;
  std::size_t max_line_bytes_ = 0;
  NoteStyle notes_ = NoteStyle::kLong;
  std::vector<ExcerptUnit> units_;
};

// Returns 12345 as "12,345".
std::string with_commas(std::uint64_t number);
// Returns "1000–13345".
std::string offset_range(const Gap& gap);

}  // namespace gibbous
