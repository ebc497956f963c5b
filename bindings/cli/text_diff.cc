#include "bindings/cli/text_diff.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "bindings/stdio/question_text.h"

namespace gibbous::cli {
namespace {

constexpr std::size_t kContext = 3;
constexpr std::size_t kMaxShownLineBytes = 2'000;
constexpr const char* kNoLineEnd = "\\ No newline at end of file\n";

// With their line ends, which the last one may lack.
std::vector<std::string_view> lines_with_ends(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

std::string diff_line(char sign, std::string_view line) {
  const bool has_end = line.ends_with('\n');
  if (has_end) line.remove_suffix(1);
  const bool returns = line.ends_with('\r');
  if (returns) line.remove_suffix(1);
  // Tabs are what settings are indented with.
  std::string shown;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t tab = std::min(line.find('\t', at), line.size());
    shown += stdio::printable(line.substr(at, tab - at), kMaxShownLineBytes);
    if (tab < line.size()) shown += '\t';
    at = tab + 1;
  }
  return sign + shown + "\n" + (has_end ? "" : kNoLineEnd);
}

// Lines are counted from 1; an empty range names the line before it.
std::string range(std::size_t begin, std::size_t count) {
  return std::to_string(count == 0 ? begin : begin + 1) + "," + std::to_string(count);
}

}  // namespace

std::string unified_diff(const std::string& name, const std::string& before,
                         const std::string& after, bool is_new) {
  if (before == after) return "";
  const std::vector<std::string_view> old_lines = lines_with_ends(before);
  const std::vector<std::string_view> new_lines = lines_with_ends(after);
  const std::size_t least = std::min(old_lines.size(), new_lines.size());
  std::size_t same = 0;
  while (same < least && old_lines[same] == new_lines[same]) ++same;
  std::size_t same_end = 0;
  while (same_end < least - same &&
         old_lines[old_lines.size() - 1 - same_end] == new_lines[new_lines.size() - 1 - same_end]) {
    ++same_end;
  }
  const std::size_t begin = same - std::min(same, kContext);
  const std::size_t behind = std::min(same_end, kContext);
  const std::size_t old_end = old_lines.size() - same_end;
  const std::size_t new_end = new_lines.size() - same_end;
  const std::string shown = stdio::printable(name, kMaxShownLineBytes);
  std::string text = "--- " + (is_new ? "/dev/null" : shown) + "\n+++ " + shown + "\n@@ -" +
                     range(begin, old_end + behind - begin) + " +" +
                     range(begin, new_end + behind - begin) + " @@\n";
  for (std::size_t i = begin; i < same; ++i) text += diff_line(' ', old_lines[i]);
  for (std::size_t i = same; i < old_end; ++i) text += diff_line('-', old_lines[i]);
  for (std::size_t i = same; i < new_end; ++i) text += diff_line('+', new_lines[i]);
  for (std::size_t i = old_end; i < old_end + behind; ++i) text += diff_line(' ', old_lines[i]);
  return text;
}

}  // namespace gibbous::cli
