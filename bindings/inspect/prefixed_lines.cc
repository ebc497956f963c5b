// See prefixed_lines.h.
#include "bindings/inspect/prefixed_lines.h"

#include <utility>

#include "bindings/inspect/output_filter.h"
#include "runtime/output/escape.h"
#include "runtime/output/text.h"

namespace gibbous::inspect {

PrefixedLines::PrefixedLines(std::string prefix) : prefix_(std::move(prefix)) {}

std::string PrefixedLines::feed(std::string_view text) {
  std::string lines;
  line_ += text;
  std::size_t begin = 0;
  for (;;) {
    const std::size_t end = line_.find('\n', begin);
    const bool is_long = end == std::string::npos && line_.size() - begin >= kMaxLineBytes;
    if (end == std::string::npos && !is_long) break;
    lines += prefixed(line_.substr(begin, is_long ? end : end - begin));
    begin = is_long ? line_.size() : end + 1;
  }
  line_.erase(0, begin);
  return lines;
}

std::string PrefixedLines::finish() {
  return line_.empty() ? "" : prefixed(std::exchange(line_, {}));
}

// A return to the start of the line would hide the name, and colours would reach the next line.
std::string PrefixedLines::prefixed(const std::string& line) const {
  std::string shown = clean(line, {.strip_ansi = false});
  if (shown.find(kEscape) != std::string::npos) shown += kResetColours;
  return prefix_ + shown + "\n";
}

}  // namespace gibbous::inspect
