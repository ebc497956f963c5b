// What an expression of RE2 cannot do without, found without compiling it: a policy has hundreds of
// expressions, and a process that judges one command compiles only those that may match. Any
// thread.
#pragma once

#include <string>
#include <string_view>

namespace gibbous::rules {

// Returns bytes that each match of the expression holds; "" where none is known.
std::string needed_bytes(std::string_view expression);

}  // namespace gibbous::rules
