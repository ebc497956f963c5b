// Scope: the state of the shell at a place in the line: variables with a known value, functions,
// positional parameters, the working directory. A mark shares the state with what follows until
// that changes it. Only the analyser uses it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "runtime/command/facts.h"
#include "runtime/command/syntax.h"

namespace gibbous::command {

inline constexpr std::size_t kMaxValues = 16;  // of a variable; with more, it is unknown

// The possible values of a variable: several if branches disagree; with `unknown`, others are
// possible too.
struct Variable {
  std::vector<Value> values;
  bool unknown = false;
  bool array = false;     // `values` are its elements
  bool exported = false;  // programs see it, a new shell too

  bool is_one() const { return values.size() == 1 && !unknown && !array; }
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
  struct State {
    std::unordered_map<std::string, Variable> variables;
    std::unordered_map<std::string, Function> functions;
    std::unordered_set<std::string> fixed;  // readonly: later assignments may fail
    Directory cwd;
    std::optional<std::vector<Value>> positional{std::in_place};
  };
  using Mark = std::shared_ptr<State>;

  const Variable* find(const std::string& name) const;
  void set(const std::string& name, Variable value);
  void fix(const std::string& name) { change().fixed.insert(name); }
  // Allows any value from now on.
  void forget(const std::string& name);
  // Forgets all variables but HOME, PWD and OLDPWD.
  void forget_all();
  void put_in_environment(const std::string& name);
  const Function* function(const std::string& name) const;
  void define(const std::string& name, Function::Body body);
  void remove_function(const std::string& name);
  const Directory& cwd() const { return state_->cwd; }
  void enter(Directory to) { change().cwd = std::move(to); }
  const std::optional<std::vector<Value>>& positional() const { return state_->positional; }
  void set_positional(std::optional<std::vector<Value>> values);
  // Begins a new shell, which sees exported variables only, and perhaps functions.
  void enter_shell();

  Mark mark() const { return state_; }
  // Ends a subshell: undoes every change since `mark`.
  void restore(Mark mark) { state_ = std::move(mark); }
  // Ends a part that may not have run: each thing is now either the old or the new one. Returns
  // false if nothing changed.
  bool merge(const Mark& mark);
  // As merge, for the working directory and what names it: a `cd` may fail.
  void merge_directory(const Directory& before);
  // As merge, for variables alone: the assignments before a command may not have happened.
  void merge_variables(const Mark& mark);
  std::size_t size() const { return state_->variables.size(); }
  // Returns how many things were copied or compared since the last call.
  std::size_t take_work() { return std::exchange(work_, 0); }

 private:
  State& change();

  Mark state_ = std::make_shared<State>();
  std::size_t work_ = 0;
};

}  // namespace gibbous::command
