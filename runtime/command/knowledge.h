// The analyser's knowledge of programs and paths: data from the policy's Lua tables
// (policies/knowledge/, read by bindings/lua), never code here. Immutable once made.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runtime/command/facts.h"

namespace re2 {
class RE2;
}

namespace gibbous::command {

// Selects words of an argv: 'operands' 'first' 'second' 'rest' (all operands but the first) 'last'
// 'but_last', '-o --output' (values of these options), 'of=' (the rest of operands with that
// prefix), 'after_--', 'words' (all).
struct Selector {
  enum class Kind : std::uint8_t {
    kOperands,
    kFirst,
    kSecond,
    kRest,
    kLast,
    kButLast,
    kAfterDashes,
    kHere,      // no word: the working directory
    kWords,     // all words
    kUrlNames,  // the last part of each operand that is a URL: what wget writes
    kOptions,
    kPrefix
  };
  Kind kind = Kind::kOperands;
  std::vector<std::string> options;  // kOptions, with their dashes
  std::string prefix;                // kPrefix, with the =
};

struct AccessSpec {
  AccessKind kind = AccessKind::kRead;
  std::vector<Selector> selectors;
  std::vector<std::string> when;    // only with one of these flags; empty: always
  std::vector<std::string> unless;  // not with one of these
  bool recursive = false;           // always
};

// The ways in which a program runs other commands or code.
struct RunsSpec {
  enum class How : std::uint8_t {
    kArgv,     // its operands, after `skip` of them, are a command (sudo, env, timeout, xargs)
    kUntil,    // words after `from` up to ; or + are a command (find -exec)
    kShell,    // the words that `from` selects are code for a shell, each by itself
    kJoined,   // the operands (after `skip`), joined by spaces, are code for a shell (eval, ssh)
    kOption,   // sh: with the flag `from` (in a cluster, -c or -ec) the first operand is code
    kStdin,    // without operands (or with -s, -) its standard input is code
    kFile,     // its first operand is a file of code
    kCode,     // the words that `from` selects are code in `language`
    kEarlier,  // lines that the shell ran before (fc)
  };
  How how = How::kArgv;
  std::vector<Selector> from;
  std::vector<std::string> when;  // only with one of these flags or words
  std::vector<std::string> unless;
  int skip = 0;
  bool assignments = false;   // kArgv: NAME=value words before the command set its environment
  bool appends = false;       // unknown words are appended (xargs, find with {})
  bool and_operands = false;  // kShell: the operands are joined to it, each a word (env -S)
  bool ends_at_plus = false;  // kUntil: {} + ends the command, too (find)
  bool shell_if_empty =
      false;                 // without a command it starts a shell that reads stdin (su, sudo -s)
  std::string strip_prefix;  // kShell: only words with it count, and it is removed: "exec=", "!"
  std::string language;      // kCode, kFile, kStdin: "shell", "python", ...
};

struct ProgramSpec {
  std::vector<std::string> values;  // options that take a value: "-C", "--directory"
  std::vector<AccessSpec> accesses;
  std::vector<std::string> recursive;  // flags that make remove, permission, write recursive
  std::vector<RunsSpec> runs;
  std::vector<Selector> cwd;      // make -C DIR: relative paths begin there
  std::vector<Selector> hosts;    // operands that name hosts or URLs
  std::vector<Selector> text;     // words that name no path which it reads: messages, patterns
  bool single_dash_long = false;  // -name is one option, not a cluster (find, java)
  bool options_first = false;     // options end at the first operand
  bool privileged = false;
  bool remote = false;
  bool decodes = false;  // with one of decodes_when if given
  std::vector<std::string> decodes_when;
  std::vector<std::string> takes_paths;  // with one of these flags its input is a list of paths
  bool prints = false;                   // its operands are its output: echo, printf
  bool lists = false;                    // its output is paths below its operands: find, ls
  bool lists_names = false;              // without the operands in front of them: ls
  bool takes_commands = false;           // in what is typed into it: `!ls` in a pager
  std::vector<std::string> filters;  // flags without one of which it lists everything: find -name
  std::map<std::string, std::shared_ptr<const ProgramSpec>> subcommands;  // "push", "remote add"
};

// A set of paths. Entries are absolute (the reader of the tables expands variables). `*` stands for
// any characters but /, and an entry covers everything below it; "=/home" is only itself, and
// "!/var/tmp" excludes. "**/.git/hooks" is in any directory of the workspace.
struct PathClassSpec {
  std::string name;
  std::vector<std::string> entries;
  bool inside = false;  // holds for paths in the workspace too (protected files, credentials)
  bool named = false;   // holds for whatever a word names: AccessKind::kName
  // Holds for what starts there: a command whose working directory has the class enters it.
  bool entered = false;
};

struct Knowledge {
  // Names that mean the same share an entry.
  std::unordered_map<std::string, std::shared_ptr<const ProgramSpec>> programs;
  std::vector<std::pair<std::string, std::shared_ptr<const ProgramSpec>>> patterns;  // with a *
  std::vector<PathClassSpec> classes;
  // The output of these commands in $( ): "pwd" -> "$PWD", "mktemp" -> "/tmp/*".
  std::map<std::string, std::string> outputs;
  // Options whose values are text in every program, as globs: "--exclude*".
  std::vector<std::string> text;
  // Found in a doubtful text, it speaks of harm inside what an unknown command may change. Null:
  // every doubt does.
  std::shared_ptr<const re2::RE2> unheld;
  // Inline code in which this is found removes the paths that stand in it. Null: it reads them.
  std::shared_ptr<const re2::RE2> removing;
  // Inline code in which neither this nor `unheld` is found is no kInlineCode. Null: all of it is.
  std::shared_ptr<const re2::RE2> reaching;

  const ProgramSpec* find(const std::string& program) const;
  PathClasses class_bit(const std::string& name) const;  // built-in names too; 0: none
  // Returns the names of the bits that are set, built-in ones first.
  std::vector<std::string> class_names(PathClasses bits) const;
  // Returns the name of a single bit; "" for one that has none.
  std::string_view class_name(PathClasses bit) const;
};

}  // namespace gibbous::command
