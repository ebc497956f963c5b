// Did you mean: the known name that a wrong one most probably stands for. Pure, any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gibbous {

// The name with the smallest edit distance (insert, delete, replace, swap of neighbours; case does
// not count), or "" when none is near enough to be worth naming: more than a third of the longer
// name differs.
std::string nearest_name(std::string_view wrong, const std::vector<std::string>& known);

}  // namespace gibbous
