// Secrets in the environment that runs inherit: a sandboxed run gets those that are named for it.
// Pure.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gibbous::lua {

struct Withheld {
  std::vector<std::string> names;
  // Variables that are addresses with a password, by name: the address without it.
  std::map<std::string, std::string> addresses;
};

// Returns the variables ("NAME=value") that are secrets by their name or value, but for those in
// `passed`. `redact` knows what secrets look like.
Withheld withheld_of(const std::vector<std::string>& environment,
                     const std::vector<std::string>& passed,
                     const std::function<std::string(std::string_view)>& redact);

}  // namespace gibbous::lua
