// Expander: builds the fields of one word, as far as they are known in advance. expand.cc makes one
// per word. expander.cc handles text, parameter.cc ${...}, and substitution.cc the commands in a
// word. Private to the analyser.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/command/analyser.h"

namespace gibbous::command {

inline constexpr std::size_t kValueCost = 96;  // in bytes of text
inline constexpr std::string_view kBlanks = " \t\n";

class Expander {
 public:
  Expander(Analyser& analyser, bool split) : analyser_(analyser), split_(split) {}
  void word(const std::vector<Part>& parts);
  void piece(const Part& part);
  std::vector<Arg> take() { return std::move(done_); }
  // Returns the word, without splitting.
  Value take_one();
  void end_field();

 private:
  void append(std::string_view text, bool quoted);
  void note_flow(const Part& part, const std::string& shown);
  static std::string cut_hole(std::string text);
  void hole(Value::Hole::Kind kind, std::string text, bool splits);
  // Adds a value of a variable: if unquoted, it is split and its patterns count.
  void insert(const Value& value, bool quoted);
  bool usual_blanks() const;
  static std::size_t next_blank(const Value& value, std::size_t at);
  void insert_unquoted(const Value& value, std::size_t begin, std::size_t end);
  // Adds the text of a variable; a pattern in it counts if it is unquoted.
  void globs(std::string_view text);
  void end_if_any();
  void tilde(const Part& part);
  void parameter(const Part& part);
  // The shell evaluates subscripts and numbers, and runs the commands in prompts.
  void operand(const Part& part, const std::string& shown);
  static long positional_number(const std::string& name);
  const Value* known(const std::string& name) const;
  void unknown(const std::string& shown, const Part& part);
  void positional(const Part& part, const std::string& shown);
  void list(const std::vector<Value>& values, const Part& part);
  // ${a[@]}
  void elements(const Part& part, const std::string& shown);
  void command(const Part& part);
  // Looks in the table of outputs: "pwd" -> "$PWD", "mktemp" -> "/tmp/*", "which *" -> "$1".
  bool output_of(const SimpleCommand& command, bool quoted);
  // Replaces $NAME and $1; a * becomes a hole.
  void fill(const std::string& text, const std::string& argument, bool quoted);
  void process(const Part& part);

  Analyser& analyser_;
  bool split_;
  Value current_;  // the field that is being made
  bool has_ = false;
  bool process_ = false;
  int producers_begin_ = 0;
  int producers_end_ = 0;
  std::vector<Arg> done_;
};

}  // namespace gibbous::command
