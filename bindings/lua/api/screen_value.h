// Terminals as scripts see them: what a run asks for, and what is shown. Rows and columns count
// from 1. Used by run_value.cc and api_run_terminal.cc. Loop thread only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bindings/lua/check/wrong_use.h"
#include "runtime/terminal/screen.h"

namespace gibbous::lua {

// The option `pty`: a boolean or a table; throws WrongUse, which names `place`.
std::optional<TerminalSpec> parse_pty(const FieldPath& place, const Json& value);
// { rows, cols }, both required; throws WrongUse.
TerminalSize parse_size(const std::string& function, const Json& options);

struct ScreenOptions {
  std::optional<std::uint64_t> since;  // a version
  bool attributes = false;
  std::size_t scrollback = 0;  // lines
};
ScreenOptions parse_screen_options(const Json& options);
// The table of h:screen().
Json screen_value(Screen& screen, const ScreenOptions& options);

}  // namespace gibbous::lua
