// Analyser: one walk over one line. analyse.cc drives it. walk.cc handles compound commands,
// functions.cc function bodies and traps, redirections.cc redirections, expand.cc words (expander.h
// a single word), simple.cc simple commands, doubts.cc what cannot be known of them, builtin.cc
// builtins, access.cc paths, glob_links.cc links that patterns match, named_paths.cc paths that
// words only name, wrappers.cc commands in commands, carriers.cc shell code in words, files and
// input, printed.cc the output of commands, and flows.cc which variables a word may hold. Private
// to this folder.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "runtime/command/analyse.h"
#include "runtime/command/arguments.h"
#include "runtime/command/flows.h"
#include "runtime/command/parse.h"
#include "runtime/command/path_map.h"
#include "runtime/command/scope.h"

namespace gibbous::command {

inline constexpr std::size_t kMaxDirectoryBytes = 4096;  // longer ones are not followed

// Returns the part after the last slash.
inline std::string base_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

// A word of a command and, for <( ), the commands that write its contents.
struct Arg {
  Value value;
  bool process = false;     // <( )
  int producers_begin = 0;  // indexes into Facts::commands
  int producers_end = 0;
};

// The standard input of a command, or its output.
struct Feed {
  bool piped = false;                 // from another command, or a text that is in the line
  std::vector<std::string> programs;  // nearest first
  bool decodes = false;
  std::optional<std::vector<Value>> words;  // what is printed, word by word
  std::optional<Value> text;
  std::optional<Value> file;  // it comes from this file
};

inline constexpr char kShell[] = "shell";  // the language that the analyser itself reads

class Analyser {
 public:
  Analyser(const Place& place, const Knowledge& knowledge, const AnalyseLimits& limits);
  void line(std::string_view text);
  void argv(const std::vector<std::string>& words);
  void typed(const TypedInput& input);
  Facts take() { return std::move(facts_); }

 private:
  // Removes its entry from nesting_ at the end of the block.
  class Nest {
   public:
    Nest(Analyser& analyser, Nesting::Kind kind, std::string by = "");
    ~Nest() { analyser_.nesting_.pop_back(); }
    Nest(const Nest&) = delete;
    Nest& operator=(const Nest&) = delete;

   private:
    Analyser& analyser_;
  };

  // analyse.cc
  void begin(std::string_view shown);
  void finish();
  // Analyses text as a script in the present scope. Returns false, with a doubt, if the text is too
  // deep or too much. `dialects`: what its shell may read; 0: as the code around it.
  bool code(const Value& text, Nesting::Kind kind, const std::string& by, const Feed& feed,
            Dialects dialects = 0);
  void read_as(Dialects dialects, const std::function<void(const Node&)>& walk_as);
  std::string found_since(std::size_t commands, std::size_t doubts) const;
  Dialects also_posix(Dialects dialects) const;
  Dialects sh_dialects() const;
  Dialects dialects_for(const SimpleCommand& command) const;
  bool spend(std::size_t bytes);
  void doubt(Doubt kind, std::string detail, int command = -1);
  void doubt_next(Doubt kind, std::string detail);  // of the command that follows
  void find_unheld();
  bool speaks_of_harm(const std::string& text) const;
  bool may_reach(const Value& code) const;
  bool full() const { return over_; }

  // typed_input.cc
  bool take_commands(const InputReader& reader, const Value& line);
  void take_code(const InputReader& reader, const Value& lines);

  // walk.cc
  void walk(const Node& node, const Feed& feed);
  void walk_list(const Node& node, const Feed& feed);
  void walk_pipeline(const Node& node, const Feed& feed);
  void walk_compound(const Node& node, const Feed& feed);
  void walk_loop(const Node& node, const Feed& feed);
  bool leaves(const Node& node);
  bool is_plain(const Node& node, std::size_t first) const;
  void walk_branches(const Node& node, const Feed& feed);
  void walk_test(const Node& node);
  void define_function(const Node& node);
  // Calls `walk` when the line ends, in the code around it.
  void later(std::function<void()> walk);
  void run_later();
  Feed apply_redirections(const std::vector<Redirection>& redirections, const Feed& feed,
                          std::vector<Access>* accesses);
  void note_redirections(std::vector<Access> accesses);
  void emit_nothing(SimpleCommand command, const Feed& feed);

  // expand.cc
  std::vector<Arg> fields(const Word& word);
  Value one(const Word& word);  // no splitting, no patterns
  void doubt_subscript(const Value& value);
  void visit(const std::vector<Part>& parts);  // only for what runs in them
  // As visit, including the numbers that it assigns.
  void arithmetic(const std::vector<Part>& parts);
  friend class Expander;

  // flows.cc
  void flow(const std::string& into, const Value& value);
  void flow(const std::string& into, const std::string& from);
  void flow_names(const std::string& into, const std::vector<std::string>& names);
  void flow_anywhere(const Value& value);
  std::vector<std::string> given_to(const SimpleCommand& command, const Feed& feed) const;

  // simple.cc
  void simple(const Node& node, const Feed& feed);
  const Part* open_choice(const Node& node) const;
  bool choose(const Node& node, const Feed& feed);
  void assign(const Assignment& assignment, NamedValue* made);
  bool ends_with_command(const std::vector<Arg>& args);
  void run(std::vector<Arg> args, SimpleCommand base, const Feed& feed);
  void emit(SimpleCommand command, const Arguments& arguments, const Feed& feed);
  void note_carrier(SimpleCommand command, const Arguments& arguments);
  bool builtin(const SimpleCommand& command, const Feed& feed);
  void declare(const SimpleCommand& command);
  // `given`: what the variables get, as Flows knows it.
  void forget_named(const Value& word, const std::string& given);
  void read_into(const std::string& name, const std::vector<Value>& argv, const Feed& feed);
  void set_positional(const std::vector<Value>& argv, std::size_t from);
  Directory target_of(const std::vector<Value>& argv);
  Directory below(const Directory& from, const Value& to);
  Directory reached(const Directory& from, const Value& to);
  void enter(Directory to);
  std::string known_cwd() const;  // "" when it is not known, or may be one of several
  void add_accesses(const Arguments& arguments, const Directory& start, SimpleCommand* command);
  void add_access(AccessKind kind, bool recursive, const Value& value, int argument,
                  bool redirection, const Directory& from, std::vector<Access>* into);
  struct PathPattern {
    std::string known;      // before the first component with a hole; "." if nothing is
    std::string component;  // that component
    std::string rest;       // from there on, after a "/", with * for unknown parts
    bool hole = false;
    bool deeper = false;  // more components follow
    bool only_globs = false;
    bool ascends = false;  // a ".." follows a hole: it may lead anywhere
  };
  static PathPattern path_pattern(const Value& value);
  static bool may_ascend(AccessKind kind, const Value& value);
  void add_without_unknown(AccessKind kind, bool recursive, const Value& value, int argument,
                           bool redirection, const Directory& from, std::vector<Access>* into);
  // glob_links.cc
  bool spend_on_links(std::size_t work);
  bool stays_inside(const Access& as, const std::string& path, const std::string& real);
  bool find_links(const Access& as, const std::string& directory, std::string_view rest,
                  bool linked, std::vector<std::string>* into);
  bool looks_for_links(const Access& as, const std::string& known, const std::string& rest);
  void add_links(const Access& as, const std::string& known, const std::string& rest,
                 std::vector<Access>* into);

  // named_paths.cc
  void add_entered(const Directory& from, SimpleCommand* command);
  void add_notes(SimpleCommand* command);
  void add_names(const Arguments& arguments, const Directory& from, const Feed& feed,
                 SimpleCommand* command);
  void add_named(const Value& value, int argument, bool whole, bool links, const Directory& from,
                 std::vector<Access>* into);
  void add_fed(const Feed& feed, const Directory& from, std::vector<Access>* into);
  bool is_text(const SimpleCommand& command, const Arguments& arguments, int argument);
  bool stands_in_named(const Directory& from);
  void add_hosts(const Arguments& arguments, SimpleCommand* command);
  void take_exported(SimpleCommand* command);
  void print_output(const SimpleCommand& command, const Arguments& arguments, const Feed& feed);
  void check_name(const SimpleCommand& command, int index);
  bool call_function(const std::string& name, const std::vector<Value>& argv,
                     const SimpleCommand& base, const Feed& feed);

  // carriers.cc: true if `command` needs no judgement of its own, because the command that it runs
  // is judged.
  bool carry(SimpleCommand* command, std::vector<Arg>* args, Arguments* arguments,
             const Feed& feed);
  bool carry_one(const RunsSpec& runs, SimpleCommand* command, const std::vector<Arg>& args,
                 const Arguments& arguments, const Feed& feed);
  bool carry_argv(const RunsSpec& runs, SimpleCommand* command, const std::vector<Arg>& args,
                  const Arguments& arguments, const Feed& feed);
  bool carry_option(const RunsSpec& runs, SimpleCommand* command, const std::vector<Arg>& args,
                    const Arguments& arguments, const Feed& feed);
  bool carry_stdin(const RunsSpec& runs, SimpleCommand* command, const Arguments& arguments,
                   const Feed& feed);
  void carry_file(const RunsSpec& runs, SimpleCommand* command, const std::vector<Arg>& args,
                  const Arguments& arguments, const Feed& feed);
  void cut_until(const RunsSpec& runs, SimpleCommand* command, std::vector<Arg>* args);
  static bool is_dangerous(const ProgramSpec& spec);
  void guess(const SimpleCommand& command, const std::vector<Arg>& args, const Feed& feed);
  void shell_code(const Value& text, const SimpleCommand& command, const std::string& by,
                  const Feed& feed, Dialects dialects = 0);
  // As shell_code, in a shell of its own.
  void new_shell(const Value& text, const SimpleCommand& command, const std::string& by,
                 const Feed& feed);
  void own_shell(const Value& text, const SimpleCommand& base, const SimpleCommand& command);
  void read_file(const Value& file, int argument, SimpleCommand* command);
  void replaced_words(const SimpleCommand& command, const Feed& feed, std::vector<Arg>* inner);
  void doubt_holes(const SimpleCommand& command, const Arguments& arguments, std::size_t first);
  std::vector<Value> listed_below(const Arguments& arguments, const std::vector<Value>& words);

  // doubts.cc
  void other_code(const Value& text, const std::string& language, SimpleCommand* command);

  const Place& place_;
  const Knowledge& knowledge_;
  const AnalyseLimits& limits_;
  std::shared_ptr<const PathMap> map_;
  Facts facts_;
  Scope scope_;
  Flows flows_;
  std::deque<Parsed> parsed_;  // what Function::body points into
  std::vector<Nesting> nesting_;
  int source_ = 0;
  Dialect dialect_ = Dialect::kBash;  // in which the code being walked is read
  Dialects sh_ = 0;                   // what sh reads in the present reading; 0: see Place
  int depth_ = 0;                     // of code in code and functions
  int shells_ = 0;                    // sh -c and the like around the code being walked
  int turns_ = 0;                     // loops around the code being walked
  bool input_moved_ = false;          // exec <file
  std::vector<std::string> chosen_;   // variables with several values: see choose()
  std::size_t choices_ = 1;           // of all of them
  std::size_t spent_ = 0;
  bool over_ = false;
  bool done_ = false;  // the code being walked has run already
  Feed printed_;       // by the last simple command
  struct Active {
    std::string name;
    const Node* body = nullptr;
    std::size_t nesting = 0;
    int depth = 0;
    std::vector<std::string> locals;
  };
  std::vector<Active> active_;  // functions that are being called
  // The state of the code around the commands being walked, innermost last.
  struct CodeBase {
    std::vector<std::string> wrappers;
    bool privileged = false;
    bool remote = false;
  };
  std::vector<CodeBase> code_base_;
  struct Later {
    std::function<void()> walk;
    std::vector<Nesting> nesting;
    std::vector<CodeBase> code_base;
    int source = 0;
    Dialect dialect = Dialect::kBash;
    int depth = 0;
  };
  std::deque<Later> later_;
  std::unordered_set<const Node*> walked_bodies_;
  std::unordered_map<std::string, std::vector<DirectoryEntry>> listed_;
  std::unordered_set<std::string> looked_for_links_;
  struct LinkSearch {
    std::size_t command = 0;
    AccessKind kind = AccessKind::kRead;
    bool recursive = false;
    std::string known;
    std::string rest;
  };
  LinkSearch last_links_;
  std::unordered_map<std::string, PathClasses> may_match_;  // by pattern
  std::size_t links_found_ = 0;                             // by patterns (glob_links.cc)
  std::size_t link_work_ = 0;                               // for them
  std::unordered_map<std::string, bool> in_named_;          // directories: in a `named` class
  std::unordered_map<std::string, std::optional<std::string>> resolved_;  // directories, by path
};

// Returns true if a file that cannot be opened may keep the command from running.
bool may_fail(const std::vector<Redirection>& redirections);
// Text of which nothing is known.
Value hole_value(const std::string& text, bool splits = false);
bool is_name(std::string_view text);
bool all_ascii(std::string_view text);
bool has_invisible(std::string_view text);
// Each command of a pipeline remembers at most this many programs.
inline constexpr std::size_t kMaxNeighbours = 8;
void add_programs(const std::vector<SimpleCommand>& commands, std::size_t from, std::size_t to,
                  std::vector<std::string>* into);

}  // namespace gibbous::command
