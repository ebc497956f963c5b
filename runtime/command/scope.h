// Scope: the state of the shell at a place in the line: variables with a known value, functions,
// positional parameters, the working directory. Changes are journalled, so that a subshell costs as
// much as it changes. Only the analyser uses it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "runtime/command/facts.h"
#include "runtime/command/syntax.h"

namespace gibbous::command {

// The possible values of a variable: several if branches disagree; with `unknown`, others are
// possible too.
struct Variable {
  std::vector<Value> values;
  bool unknown = false;
  bool array = false;     // `values` are its elements
  bool exported = false;  // programs see it, a new shell too
  std::size_t born = 0;   // Scope's own
};

// The functions that a name may call: several if branches disagree.
struct Function {
  struct Body {
    const Node* node = nullptr;  // owned by the analyser's list of parsed texts
    int source = 0;
  };
  std::vector<Body> bodies;
  bool certain = true;  // false: there may be no such function
};

struct Directory {
  std::vector<std::string> paths;  // absolute; may be several
  bool unknown = false;            // or somewhere else
};

class Scope {
 public:
  using Mark = std::size_t;  // a place in the journal of changes
  // What holds when the line begins: nothing undoes that.
  void given(const std::string& name, Variable value) { put(name, std::move(value)); }
  void begin(Directory cwd);

  const Variable* find(const std::string& name) const;
  void set(const std::string& name, Variable value);
  // Allows any value from now on.
  void forget(const std::string& name);
  // Forgets all variables but HOME, PWD and OLDPWD.
  void forget_all();
  // Where a variable was forgotten since `mark`, it may still have the value that it had.
  void keep_forgotten(Mark mark);
  void put_in_environment(const std::string& name);
  // Makes it readonly: later assignments may fail.
  void fix(const std::string& name) { fixed_.insert(name); }
  // The value differs from the assigned text (declare -i, -l, -u, -n).
  void distort(const std::string& name);
  // Returns null if there is none. In a new shell, functions of the outer shells are uncertain.
  const Function* function(const std::string& name) const;
  void define(const std::string& name, Function::Body body);
  void remove_function(const std::string& name);
  const Directory& cwd() const { return cwd_; }
  void enter(Directory to);
  const std::optional<std::vector<Value>>& positional() const { return positional_; }
  void set_positional(std::optional<std::vector<Value>> values);

  Mark mark() const { return journal_.size(); }
  // Ends a subshell: undoes every change since `mark`.
  void restore(Mark mark);
  // Ends a part that may not have run: each thing is now either the old or the new one.
  void merge(Mark mark);
  // As merge, for the working directory, PWD and OLDPWD alone: a `cd` may fail.
  void merge_directory(Mark mark);
  // As merge, for variables alone: the assignments before a command may not have happened.
  void merge_variables(Mark mark);
  // For a loop's body, or a recursive function: a change since `mark`, found by a first walk that
  // was undone, may remain from the previous turn.
  struct Turn {
    std::vector<std::string> names;
    bool positional = false;
    bool directory = false;
  };
  Turn turn(Mark mark) const;
  void loosen(const Turn& turn);
  void loosen_all();
  // Begins a new shell, which sees exported variables only. Returns the argument for leave_shell.
  std::size_t enter_shell();
  void leave_shell(std::size_t before) { shell_ = before; }
  // For code that runs at an unknown time: every variable may have any of its values so far.
  void blur();
  std::size_t size() const { return variables_.size(); }

 private:
  struct Change {
    enum class Kind : std::uint8_t { kVariable, kFunction, kDirectory, kPositional } kind;
    std::string name;
    std::optional<Variable> variable;
    std::optional<Function> function;
    Directory directory;
    std::optional<std::vector<Value>> positional;
  };
  template <typename Counts>
  void merge_variables(Mark mark, Counts counts);
  void put(const std::string& name, Variable value);
  void note_variable(const std::string& name);
  void note_function(const std::string& name);

  std::unordered_map<std::string, Variable> variables_;
  std::unordered_map<std::string, Variable> ever_;
  std::unordered_set<std::string> fixed_;
  std::unordered_set<std::string> distorted_;
  std::size_t changes_ = 0;
  std::size_t shell_ = 0;  // variables born before this belong to another shell
  std::unordered_map<std::string, Function> functions_;
  Directory cwd_;
  std::optional<std::vector<Value>> positional_;
  std::vector<Change> journal_;
};

}  // namespace gibbous::command
