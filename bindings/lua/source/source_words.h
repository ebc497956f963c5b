// Finds the words that name things in a Lua source file, outside comments: string literals, and the
// names of fields that get a value. Modules and the lines of rules are found by them. Pure, any
// thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gibbous::lua {

struct SourceWord {
  bool is_literal = false;  // or the name in `name =`
  std::string text;         // of a literal: decoded
  int line = 0;
  // For a literal: the name right before it, with '=', '(' or nothing ('\0') between; "" for none.
  std::string name;
  char between = '\0';
  bool member = false;  // the name follows a '.' or ':'
  int name_line = 0;
};

// Returns the words in order, in linear time.
std::vector<SourceWord> source_words(std::string_view source);

struct RequiredName {
  std::string name;
  int line = 0;
};

// Returns the modules of require 'a.b', require "a.b" and require('a.b') outside comments and
// strings, in order: so a load compiles all files, and reports all syntax errors, before it runs
// any.
std::vector<RequiredName> required_names(std::string_view source);

}  // namespace gibbous::lua
