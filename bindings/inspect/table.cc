// See table.h.
#include "bindings/inspect/table.h"

#include <algorithm>

#include "runtime/output/utf8.h"

namespace gibbous::inspect {
namespace {

constexpr std::size_t kColumnGap = 2;
constexpr std::size_t kLeastLast = 16;   // columns of the last cell, which says the most
constexpr std::size_t kLeastWidth = 10;  // of the others, when they are cut

std::string cut_to(std::string_view text, std::size_t columns) {
  if (columns_of(text) <= columns || columns == 0) return std::string(text);
  std::size_t seen = 0;
  std::size_t end = 0;
  for (; end < text.size(); ++end) {
    if (!is_utf8_continuation(text[end]) && ++seen == columns) break;
  }
  return std::string(text.substr(0, end)) + "…";
}

// Takes columns from the widest until the rows fit.
void fit(std::vector<std::size_t>& widths, std::size_t width) {
  std::size_t whole = kColumnGap * (widths.size() - 1);
  for (const std::size_t each : widths) whole += each;
  const std::size_t last = std::min(widths.back(), kLeastLast);
  for (std::size_t over = whole > width ? whole - width : 0; over > 0; --over) {
    auto widest = widths.end() - 1;
    if (*widest <= last) widest = std::max_element(widths.begin(), widths.end() - 1);
    if (*widest <= kLeastWidth) widest = widths.end() - 1;
    if (*widest > 1) --*widest;
  }
}

}  // namespace

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !is_utf8_continuation(c); }));
}

std::vector<std::string> table_lines(const std::vector<std::vector<std::string>>& rows,
                                     std::size_t width) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], columns_of(row[i]));
    }
  }
  if (width > 0 && !widths.empty()) fit(widths, width);
  std::vector<std::string> lines;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string cell = cut_to(row[i], widths[i]);
      line += cell;
      if (i + 1 < row.size()) line.append(widths[i] - columns_of(cell) + kColumnGap, ' ');
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace gibbous::inspect
