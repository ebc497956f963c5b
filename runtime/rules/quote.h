// Quotes parts of commands in messages. Pure, any thread.
#pragma once

#include <string>
#include <string_view>

#include "runtime/command/facts.h"

namespace gibbous::rules {

inline std::string quote(std::string_view text) {
  constexpr std::size_t kMaxQuotedBytes = 96;
  return '"' + command::escaped(text, kMaxQuotedBytes) + '"';
}

}  // namespace gibbous::rules
