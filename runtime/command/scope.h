// Scope: what the shell would know at a place in the line: variables with a known value, functions,
// aliases, positional parameters, the working directory. Changes are journalled, so that a subshell
// costs what it changes and not what there is. Used by the analyser only.
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

// The values that a variable may have. Several when branches disagree; `unknown` when others are
// possible too.
struct Variable {
  std::vector<Value> values;
  bool unknown = false;
  bool array = false;     // `values` are its elements
  bool exported = false;  // programs see it, a new shell too
  std::size_t born = 0;   // Scope's own
};

// What a name may call. Several when branches disagree.
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
  const Variable* find(const std::string& name) const;
  void set(const std::string& name, Variable value);
  // Any value is possible from now on.
  void forget(const std::string& name);
  // So it is for all variables but HOME, PWD and OLDPWD.
  void forget_all();
  void put_in_environment(const std::string& name);
  // It is set for good: what is assigned from now on may fail.
  void fix(const std::string& name) { fixed_.insert(name); }
  // What is assigned is not what is there then (declare -i, -l, -u, -n).
  void distort(const std::string& name);
  // nullptr: none. In a new shell, what the shells around it define is not certain.
  const Function* function(const std::string& name) const;
  void define(const std::string& name, Function::Body body);
  void remove_function(const std::string& name);
  const Directory& cwd() const { return cwd_; }
  void enter(Directory to);
  const std::optional<std::vector<Value>>& positional() const { return positional_; }
  void set_positional(std::optional<std::vector<Value>> values);

  using Mark = std::size_t;
  Mark mark() const { return journal_.size(); }
  // A subshell ends: everything since is taken back.
  void restore(Mark mark);
  // What may or may not have run ends: each thing is now what it was, or what it became.
  void merge(Mark mark);
  // As merge, for the working directory, PWD and OLDPWD alone: a `cd` may fail.
  void merge_directory(Mark mark);
  // As merge, for variables alone: what stood before a command may not have been assigned.
  void merge_variables(Mark mark);
  // Before a loop's body, or a function that calls itself: what changed since `mark` when it was
  // walked once, and was taken back, may be there from the turn before.
  struct Turn {
    std::vector<std::string> names;
    bool positional = false;
    bool directory = false;
  };
  Turn turn(Mark mark) const;
  void loosen(const Turn& turn);
  void loosen_all();
  // A shell of its own begins: it sees exported variables only. Gives what leave_shell takes.
  std::size_t enter_shell();
  void leave_shell(std::size_t before) { shell_ = before; }
  // For what runs nobody knows when: every variable may have each value that it ever had.
  void blur();
  std::size_t changes() const { return changes_; }
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
  void note_variable(const std::string& name);
  void note_function(const std::string& name);

  std::unordered_map<std::string, Variable> variables_;
  std::unordered_map<std::string, Variable> ever_;
  std::unordered_set<std::string> fixed_;
  std::unordered_set<std::string> distorted_;
  std::size_t changes_ = 0;
  std::size_t shell_ = 0;  // what was born before belongs to another shell
  bool moved_ = false;     // the working directory changed at some time
  std::unordered_map<std::string, Function> functions_;
  Directory cwd_;
  std::optional<std::vector<Value>> positional_;
  std::vector<Change> journal_;
};

}  // namespace gibbous::command
