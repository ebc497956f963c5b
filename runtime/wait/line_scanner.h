// LineScanner: one pattern's way through one stream. Each line is judged once, by LinePattern; what
// was judged is not looked at again, however often it is asked. Used by regex conditions. Loop
// thread only.
//
// A last line without its '\n' (a prompt) is judged by next_partial(), which its caller calls when
// the stream pauses: matched earlier, a line that was cut in two by read(2) would give half its
// captures. Where bytes are no longer kept, what is left of the lines at both sides is judged as if
// it were lines.
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
  // `since`: bytes before it do not count. It may be in the middle of a line.
  LineScanner(std::shared_ptr<LinePattern> pattern, Offset since);

  struct Hit {
    LineMatch match;
    Offset from = 0;    // where the line begins
    Offset cursor = 0;  // just after the line, its '\n' included when there is one
  };

  // The next matching line among those that are whole; none: all that is there was judged.
  std::optional<Hit> next(const Stream& stream);
  // The same for the bytes after the last '\n', as they are now. Call it after next() said none. A
  // line that was reported here is not reported again when it is completed; one that was not may
  // be.
  std::optional<Hit> next_partial(const Stream& stream);
  // There are bytes that next_partial() would look at and has not.
  bool has_partial(const Stream& stream) const;

  // Bytes that were gone before they could be judged.
  Offset lost() const { return lost_; }

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
  Offset line_from_;           // where the line begins that is not judged yet
  Offset seen_;                // there is no '\n' between line_from_ and here
  Offset partial_judged_ = 0;  // up to here by next_partial
  Offset lost_ = 0;
  bool reported_ = false;  // the line at line_from_ was reported, as partial or as too long
  bool skipping_ = false;  // the line at line_from_ was judged by its beginning: on to its '\n'
};

}  // namespace gibbous
