// LineGrep: the lines of a stream that match a pattern, with their numbers and the lines around
// them, as `grep -n -C` prints them: "12:" before a match, "13-" before others, "--" between
// groups. Its memory is bounded, however much is added. Loop thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include "runtime/output/arrival_order.h"
#include "runtime/output/stream.h"
#include "runtime/wait/line_pattern.h"

namespace gibbous {

class LineGrep {
 public:
  // `context`: lines before and after each match; `max_bytes` of text.
  LineGrep(std::shared_ptr<LinePattern> pattern, std::size_t context, std::size_t max_bytes);

  // Takes the next bytes.
  void add(std::string_view bytes);
  // Bytes are missing here; the next one is on line `line`, counted from 0.
  void skip_to(std::uint64_t line);
  // No more will come: the last line counts too.
  void finish();

  const std::string& text() const { return text_; }  // clean, each line ended by '\n'
  std::uint64_t matches() const { return matches_; }
  std::uint64_t shown() const { return shown_; }  // matches in the text
  std::uint64_t lines() const { return line_; }   // lines so far
  std::uint64_t bytes() const { return bytes_; }  // that were searched
  // Lines longer than kMaxMatchedLineBytes: only their beginning was searched.
  std::uint64_t long_lines() const { return long_lines_; }

 private:
  struct Line {
    std::uint64_t number = 0;
    std::string text;
  };

  std::size_t pass_to_match(std::string_view bytes);
  void pass(std::string_view lines);
  void take(std::string_view line);
  void pass_line(std::uint64_t number, std::string_view line);
  bool put(std::uint64_t number, char mark, std::string_view text, LinePlace place = {});

  const std::shared_ptr<LinePattern> pattern_;
  const std::size_t context_;
  const std::size_t max_bytes_;
  std::string partial_;
  std::size_t partial_bytes_ = 0;  // of the line, which may be longer than what is kept of it
  std::uint64_t bytes_ = 0;
  std::uint64_t long_lines_ = 0;
  std::uint64_t line_ = 0;  // number of the next line, from 0
  std::deque<Line> before_;
  std::size_t after_ = 0;           // lines that still belong to the last match
  std::uint64_t next_printed_ = 0;  // number of the line after the last one in the text
  std::uint64_t matches_ = 0;
  std::uint64_t shown_ = 0;
  bool matched_ = false;  // the last line: the next one often does, too
  bool full_ = false;
  std::string text_;
};

// Greps all that is kept of the stream.
void grep_stream(const Stream& stream, LineGrep* grep);
// Greps all that is kept of both streams, in the order in which their lines came.
void grep_merged(const ArrivalOrder& order, const ArrivalOrder::Streams& streams, LineGrep* grep);

}  // namespace gibbous
