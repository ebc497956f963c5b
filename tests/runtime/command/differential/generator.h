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
  // `posix`: only what dash understands as bash does.
  Generator(std::uint64_t seed, bool posix);
  std::string line();

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
  bool posix_;
  int left_ = 0;  // statements that the line may still get
};

}  // namespace gibbous::command::testing
