// Tables for a terminal: aligned columns, and each row on one line. Pure, any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gibbous::inspect {

// The first row is the heading. Where a row is longer than `width`, the widest columns are cut, and
// the last one keeps some room; 0: nothing is cut.
std::vector<std::string> table_lines(const std::vector<std::vector<std::string>>& rows,
                                     std::size_t width);

// Counts the columns that a text takes on a terminal.
std::size_t columns_of(std::string_view text);

}  // namespace gibbous::inspect
