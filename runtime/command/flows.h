// Flows: which variables' values the unknown parts of words may hold, by whatever way they come
// there: assignments, loops, arguments of functions, read, printf -v ... It only grows during a
// walk, and has no order: a value that may arrive there at some time counts everywhere. Only the
// analyser uses it.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runtime/command/facts.h"
#include "runtime/command/syntax.h"

namespace gibbous::command {

// The name of all positional parameters, of any function or script.
inline constexpr char kPositional[] = "@";
// More names count as kAnyVariable.
inline constexpr std::size_t kMaxHeldNames = 64;
inline constexpr char kAnyVariable[] = "*";

class Flows {
 public:
  // From now on `into`, the name of a variable or the text of an unknown part, may hold the value
  // of `from`, which is either of them. Returns false if that was known.
  bool add(const std::string& into, const std::string& from);
  bool has(const std::string& into) const { return sources_.count(into) > 0; }
  // Any variable may hold the value of `from`, or, as "<path", what a file holds that the line
  // sources.
  void add_anywhere(const std::string& from);
  // Returns the names of variables whose values the unknown parts with these texts may hold:
  // "x", "@"; "!x" for the variable that x names; "<path" for a sourced file.
  std::vector<std::string> names(const std::vector<std::string>& texts) const;

 private:
  std::unordered_map<std::string, std::vector<std::string>> sources_;
  std::vector<std::string> anywhere_;
};

// Returns the names of variables whose values are in a piece of a word.
std::vector<std::string> held_by(const Part& part);

}  // namespace gibbous::command
