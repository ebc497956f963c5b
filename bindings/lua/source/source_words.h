// Finds what names things in a Lua source file, outside comments: string literals, and the names of
// fields that are given a value. require_scan.cc finds modules with it, source_index.cc the lines
// of rules. Pure, any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gibbous::lua {

struct SourceWord {
  bool is_literal = false;  // or the name in `name =`
  std::string text;         // of a literal: decoded
  int line = 0;
  // Of a literal: the name right before it, with '=', '(' or nothing ('\0') between; "" for none.
  std::string name;
  char between = '\0';
  bool member = false;  // the name follows a '.' or ':'
  int name_line = 0;
};

// In order, in linear time.
std::vector<SourceWord> source_words(std::string_view source);

}  // namespace gibbous::lua
