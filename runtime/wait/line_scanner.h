// LineScanner: searches one stream for one pattern. LinePattern judges each line once; further
// calls do not look at it again. Regex conditions use it. Loop thread only.
//
// next_partial() judges a last line without its '\n' (a prompt). The caller calls it when the
// stream pauses: earlier, a line that read(2) cut in two would give half its captures. Where bytes
// are gone, the remainders of the lines on both sides are judged as lines.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/output/stream.h"
#include "runtime/wait/line_pattern.h"

namespace gibbous {

class LineScanner {
 public:
  // Bytes before `since`, which may be in the middle of a line, do not count.
  LineScanner(std::shared_ptr<LinePattern> pattern, Offset since);

  struct Hit {
    LineMatch match;
    Offset from = 0;    // where the line begins
    Offset cursor = 0;  // just after the line, its '\n' included when there is one
  };

  // Returns the next whole line that matches; none: all whole lines are judged.
  std::optional<Hit> next(const Stream& stream);
  // Does the same for the current bytes after the last '\n'. Call it after next() returned none. A
  // line that is reported here is not reported again when it is completed.
  std::optional<Hit> next_partial(const Stream& stream);
  // Returns true if there are bytes that next_partial() has not judged.
  bool has_partial(const Stream& stream) const;

  // Returns how many bytes were gone before they could be judged.
  Offset lost() const { return lost_; }
  // Returns how many lines were longer than kMaxMatchedLineBytes: their beginnings were judged.
  std::uint64_t long_lines() const { return long_lines_; }

 private:
  struct Piece {
    Offset from = 0;
    std::string_view bytes;
    Offset end() const { return from + bytes.size(); }
    void advance(std::size_t count);
  };
  static std::vector<Piece> kept(const Stream& stream, Offset from);
  bool nothing_to_judge(const Stream& stream);
  std::optional<Hit> scan_piece(Piece& piece);
  std::optional<Hit> finish_carried(Piece& piece, std::string& carried);
  std::optional<Hit> judge(std::string_view line, Offset cursor);
  std::optional<Hit> judge_beginning(std::string_view beginning);
  void skip_line(Piece& piece);
  void begin_line(Offset at);

  std::shared_ptr<LinePattern> pattern_;
  Offset line_from_;           // beginning of the first line not judged yet
  Offset seen_;                // there is no '\n' between line_from_ and here
  Offset partial_judged_ = 0;  // next_partial() has judged up to here
  Offset lost_ = 0;
  std::uint64_t long_lines_ = 0;
  bool reported_ = false;  // the line at line_from_ was reported, as partial or too long
  bool skipping_ = false;  // the line at line_from_ was judged by its beginning: skip to its '\n'
};

// Returns the newest whole line behind `since` that matches. Searches more and more of the last
// lines.
std::optional<LineScanner::Hit> newest_match(const std::shared_ptr<LinePattern>& pattern,
                                             const Stream& stream, Offset since);

}  // namespace gibbous
