// Finds which modules a source file requires by a literal name, so that a load can compile all
// files, and report all syntax errors, before it runs any. Pure, any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gibbous::lua {

struct RequiredName {
  std::string name;
  int line = 0;
};

// Returns the modules of require 'a.b', require "a.b" and require('a.b') outside comments and
// strings, in order.
std::vector<RequiredName> required_names(std::string_view source);

}  // namespace gibbous::lua
