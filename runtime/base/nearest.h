// Finds the known name that a misspelled one most probably means. Pure, any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gibbous {

// Returns the name with the smallest edit distance (insert, delete, replace, swap of neighbours;
// ignoring case), or the shortest one that it abbreviates ("cmd" for "command"), or "" when more
// than a third of the longer name differs.
std::string nearest_name(std::string_view wrong, const std::vector<std::string>& known);

// Returns "; did you mean 'name'?" to end a message with, or "" when `nearest` is "". `quote` is
// what the message has around its other names.
std::string did_you_mean(std::string_view nearest, char quote = '\'');

// Returns "a, b, c" for messages that list known names; "a, b, ..." when there are more than
// `most`.
std::string comma_list(const std::vector<std::string>& words, std::size_t most = SIZE_MAX);

}  // namespace gibbous
