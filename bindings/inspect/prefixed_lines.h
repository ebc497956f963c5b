// PrefixedLines: the text of one run as whole lines with its name in front, to be shown among the
// lines of others. One thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gibbous::inspect {

class PrefixedLines {
 public:
  static constexpr std::size_t kMaxLineBytes = std::size_t{16} << 10;

  explicit PrefixedLines(std::string prefix);

  // Takes the text of LogText. Returns the finished lines; a line ends at kMaxLineBytes at the
  // latest.
  std::string feed(std::string_view text);
  // Returns the unfinished line at the end.
  std::string finish();

 private:
  std::string prefixed(const std::string& line) const;

  std::string prefix_;
  std::string line_;
};

}  // namespace gibbous::inspect
