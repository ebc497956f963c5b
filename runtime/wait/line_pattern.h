// LinePattern: a regex over lines. Says whether a line matches, and finds the first line of a block
// that does, by scanning the block whole and cutting lines only around hits. LineScanner uses it.
// Loop thread only.
//
// A line matches when RE2, unanchored, finds the pattern in the line's raw bytes without the line
// end ("\n" or "\r\n"), or else in the line as a person sees it (clean(): no escape sequences, "\r"
// and backspace resolved, U+FFFD for invalid UTF-8). Only the first kMaxMatchedLineBytes of a line
// count.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gibbous/status.h"
#include "runtime/base/cut_line.h"

namespace re2 {
class RE2;
}

namespace gibbous {

inline constexpr std::size_t kMaxMatchedLineBytes = std::size_t{64} << 10;
inline constexpr std::size_t kMaxPatternBytes = std::size_t{8} << 10;

struct LineMatch {
  std::string line;  // as a person sees it
  std::vector<std::string>
      captures;     // groups 1..n as valid UTF-8; "" for a group that took no part
  LinePlace place;  // of the match in `line`
};

// A line in a block: [begin, end), without its '\n'.
struct LineSpan {
  std::size_t begin = 0;
  std::size_t end = 0;
};

class LinePattern {
 public:
  // Fails with invalid_arguments, RE2's message, and the place of the error in the pattern.
  static Result<std::shared_ptr<LinePattern>> compile(const std::string& pattern);
  ~LinePattern();

  // `line` has no '\n'; only its first kMaxMatchedLineBytes count.
  std::optional<LineMatch> match(std::string_view line) const;
  // Returns the first matching line of `block`, which is lines separated by '\n', without one at
  // its end and none longer than kMaxMatchedLineBytes. An empty block is one empty line.
  std::optional<LineSpan> find(std::string_view block);

 private:
  LinePattern();
  void compile_block();
  bool search(std::string_view text) const;
  bool search_groups(std::string_view text, LineMatch& match) const;
  bool matches(std::string_view line) const;
  std::optional<LineSpan> find_line_by_line(std::string_view block) const;
  std::optional<LineSpan> find_raw(std::string_view block) const;
  bool may_match_differently(std::string_view block) const;

  std::unique_ptr<re2::RE2> line_;   // the pattern as given, which decides
  std::unique_ptr<re2::RE2> brief_;  // the same, fast for few bytes; may be null
  std::unique_ptr<re2::RE2>
      block_;  // finds candidates in a block; null: not used yet, or not exact
  bool block_tried_ = false;
  bool anchored_ = false;  // it can match only at a line's beginning
  // The pattern may look at a line's end, which a '\r' before the '\n' hides in a block.
  bool sees_line_end_ = false;
};

}  // namespace gibbous
