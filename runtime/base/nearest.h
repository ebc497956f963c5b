// Did you mean: the known name that a wrong one most probably stands for. Pure, any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gibbous {

// The name with the smallest edit distance (insert, delete, replace, swap of neighbours; case does
// not count), or "" when none is near enough to be worth naming: more than a third of the longer
// name differs.
std::string nearest_name(std::string_view wrong, const std::vector<std::string>& known);

// "a, b, c" for messages that list what is known; "a, b, ..." where there are more than `most`.
std::string comma_list(const std::vector<std::string>& words, std::size_t most = SIZE_MAX);

}  // namespace gibbous
