// Random lines for a shell, from a grammar of all that bash has: each places the command `mark ID`
// somewhere, in any spelling. Reproducible: the same seed gives the same line. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gibbous::command::testing {

class Generator {
 public:
  enum class Lines {
    kBash,   // all that bash has
    kPosix,  // what all shells read alike
    kMixed,  // mostly that, and some of the rest
    kSoup,   // pieces of syntax in any order
  };
  Generator(std::uint64_t seed, Lines lines);
  std::string line();
  // The line with this seed for a shell of kShells: of each kind that says something about it.
  static std::string line_for(const std::string& shell, std::uint64_t seed);

 private:
  // generator_words.cc
  std::uint32_t below(std::uint32_t bound);
  bool chance(std::uint32_t percent) { return below(100) < percent; }
  std::string pick(const std::vector<const char*>& from);
  std::string blank();
  std::string spell(std::string_view text);          // a word that expands to `text`
  std::string single(std::string_view text) const;   // '...'
  std::string doubled(std::string_view text) const;  // "...", nothing in it expands
  std::string ansi(std::string_view text);           // $'...'
  std::string quote(std::string_view text);
  std::string backticks(std::string_view code) const;
  std::string substitution(const std::string& code);  // $( ) or ` `
  std::string ended(const std::string& code);         // with what must stand before ) or }
  std::string join(const std::vector<std::string>& statements);
  std::string embedded(const std::string& code);  // a statement with `code` in a substitution
  std::string id();

  // generator.cc
  bool posix() { return lines_ == Lines::kPosix || (lines_ == Lines::kMixed && !chance(20)); }
  std::string soup();
  std::string statements(int depth, int most);
  std::string statement(int depth);
  std::string mark(int depth);  // a simple command that is the mark
  std::string change();         // of a variable, a function ...
  std::string use();            // of a variable, a function ...
  std::string for_sh(int depth, int most);
  std::string indirect(int depth);   // code in code
  std::string compound(int depth);   // loops, conditions ...
  std::string piped(int depth);      // code on standard input
  std::string evaluated(int depth);  // code in subscripts and prompts
  std::string redirection();
  std::string variable() { return pick({"v", "w", "x"}); }
  std::string function() { return pick({"f", "g"}); }
  std::string value();

  std::uint64_t state_;
  Lines lines_;
  int left_ = 0;  // statements that the line may still get
};

}  // namespace gibbous::command::testing
