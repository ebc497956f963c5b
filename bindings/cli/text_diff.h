// The difference of two texts, for a person who is to agree to a change. Pure, any thread.
#pragma once

#include <string>

namespace gibbous::cli {

// A unified diff with one hunk, from the first line that differs to the last one, and three lines
// around it. "" when the texts are equal. `name` is that of the file; `is_new`: it does not exist
// yet. Every line is printable.
std::string unified_diff(const std::string& name, const std::string& before,
                         const std::string& after, bool is_new);

}  // namespace gibbous::cli
