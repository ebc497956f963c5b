// Parses a shell command line. Linear time and bounded; never fails silently: text that it does not
// understand exactly is an error with its place. analyse.cc calls it. Any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "runtime/command/dialect.h"
#include "runtime/command/syntax.h"

namespace gibbous::command {

struct ParseLimits {
  std::size_t bytes = std::size_t{1} << 20;
  std::size_t nodes = 100'000;  // commands, words and parts are counted together
  int depth = 64;               // of nesting, substitutions included
};

struct ParseError {
  std::string message;      // "" when all was understood
  bool over_limit = false;  // a limit was reached; the rest was not examined
};

struct Parsed {
  Node root;  // a kList; holds what was understood even after an error
  ParseError error;
};

// After a syntax error, goes on after the next newline or ; so that later commands are seen too (a
// bounded number of times); `error` is the first one. `text` may hold any bytes; NUL is an error.
// What a dialect lacks is read as its shell reads it: as words, or as an error.
Parsed parse(std::string_view text, const ParseLimits& limits = {},
             Dialect dialect = Dialect::kBash);

}  // namespace gibbous::command
