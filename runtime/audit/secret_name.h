// Tells which names of variables, options, headers and JSON members mean a secret. Pure, any
// thread.
#pragma once

#include <cstdint>
#include <string_view>

namespace gibbous {

enum class NameMeans : std::uint8_t {
  kNothing,
  kMaybe,   // a secret, unless the value is a number or a path: max_tokens=100, PWD=/work
  kSecret,  // DB_PASSWORD, apiKey, x-auth-token
};

// Looks at the last 128 bytes, in any spelling: SNAKE, kebab, camelCase, dotted.name.
NameMeans meaning_of_name(std::string_view name);

// Returns true when no value follows this option, such as --no-password or --ask-pass.
bool is_flag_name(std::string_view name);

}  // namespace gibbous
