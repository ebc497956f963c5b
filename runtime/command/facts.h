// What a command line, or an argv, would do, as far as that is known in advance: the simple
// commands at any depth, the paths that they touch, and the remaining doubts. analyse.h makes it,
// runtime/rules judges it, `policy explain` prints it. Plain data.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/command/dialect.h"
#include "runtime/command/syntax.h"

namespace gibbous::command {

// A word as it would reach the program. A part that cannot be known is a hole, for which `text`
// holds the source ("$x", "$(date)") or a pattern ("*").
struct Value {
  struct Hole {
    enum class Kind : std::uint8_t { kUnknown, kGlob };
    Kind kind = Kind::kUnknown;
    bool splits = false;      // unquoted: may become several words, or none
    std::uint32_t begin = 0;  // bytes of `text`
    std::uint32_t end = 0;
    bool decoded = false;  // what a decoder prints: base64 -d
  };
  std::string text;
  std::vector<Hole> holes;  // in order, without overlap
  bool quoted = false;      // some of it was quoted
  bool bare = false;        // a listed name, in front of which `text` has the directory

  bool literal() const { return holes.empty(); }
  bool has_unknown() const {
    for (const Hole& hole : holes)
      if (hole.kind == Hole::Kind::kUnknown) return true;
    return false;
  }
  // True if nothing before the first hole is known.
  bool starts_unknown() const { return !holes.empty() && (bare || holes.front().begin == 0); }
};

// Bit values; higher bits are the path classes of Knowledge, in their order.
using PathClasses = std::uint32_t;
constexpr PathClasses kInWorkspace = 1U << 0;     // below the workspace, or it
constexpr PathClasses kWorkspaceRoot = 1U << 1;   // the workspace itself, or all that is in it
constexpr PathClasses kOutside = 1U << 2;         // not in the workspace
constexpr PathClasses kUnknownPath = 1U << 3;     // its beginning is not known
constexpr PathClasses kPartlyKnown = 1U << 4;     // a hole after a known beginning
constexpr PathClasses kHoldsWorkspace = 1U << 5;  // a directory above the workspace
constexpr int kFirstOwnClass = 6;

// kName: a word names the path, and nothing is known of what the program does with it. There is one
// only for paths of the classes that Knowledge calls `named`.
enum class AccessKind : std::uint8_t {
  kRead,
  kWrite,
  kRemove,
  kPermission,
  kExecute,
  kEnter,
  kName
};

// One path that a command touches.
struct Access {
  AccessKind kind = AccessKind::kRead;
  bool recursive = false;
  bool contents = false;     // what is in the directory `path` (a pattern such as path/*)
  bool redirection = false;  // by > or <, not by an argument
  std::string written;       // as written, for people
  std::string path;          // absolute, normalised, symlinks of what exists resolved; as far as
                             // known: up to the last / before a hole
  PathClasses classes = 0;   // of the path and of what it covers
  PathClasses own = 0;       // of the path itself, for a rule's not_path
  int argument = -1;         // index into argv; -1: none
  std::string note;          // a sentence about the path, for the reason of a rule
};

struct NamedValue {
  std::string name;
  Value value;
  bool exported = true;  // false: a shell variable for what follows (a bare assignment)
};

// What a command is nested in, outermost first.
struct Nesting {
  enum class Kind : std::uint8_t {
    kPipeline,
    kBackground,
    kSubshell,
    kSubstitution,
    kProcess,
    kFunction,
    kLoop,
    kCondition,
    kWrapper,  // `by`: sudo, xargs, find -exec ...
    kCode,     // `by`: sh -c, eval, trap ...
    kHeredoc,
  };
  Kind kind = Kind::kPipeline;
  std::string by;
};

// A part of the line that cannot be known, or is not what it seems. Each doubt leads at least to a
// question, or into a sandbox that holds it.
enum class Doubt : std::uint8_t {
  kUnparsed,                // not understood
  kOverLimit,               // long, or many commands: all of it was judged
  kUnknownProgram,          // which program runs is computed
  kUnknownCode,             // computed code for a shell
  kPipedCode,               // a shell or interpreter reads its code from another command
  kInlineCode,              // code for an interpreter that is no shell
  kUnknownCommandArgument,  // a wrapper whose command is not known (not xargs without a command)
  kForkBomb,                // a function that starts itself more than once
  kEncoding,                // NUL, control or non-ASCII characters where names stand
  kDecodedCode,             // kPipedCode, and what feeds it decodes (base64 -d, xxd -r ...)
  kUnreadFile,              // code from a file outside the workspace, or from an unknown file
  kUnansweredPath,          // the file system of a path does not answer: links are not resolved
  kUnjudged,                // too long, too deep or too many: not all was judged; denied
};
constexpr int kDoubts = static_cast<int>(Doubt::kUnjudged) + 1;
const char* name_of(Doubt doubt);      // "unknown_program"
const char* name_of(AccessKind kind);  // "read" ...
const char* name_of(Nesting::Kind kind);

struct DoubtFact {
  Doubt doubt = Doubt::kUnparsed;
  int command = -1;    // index into Facts::commands; -1: of the line
  int source = 0;      // Facts::sources
  std::string detail;  // what is in doubt, as written: "$x", "LD_PRELOAD"
  // What is known of it speaks of something that the sandbox of unknown commands leaves open
  // (Knowledge::unheld): removing, ending, listeners of the session.
  bool unheld = false;
};

struct SimpleCommand {
  std::string program;      // base name; "" when not known
  Value program_word;       // argv[0] as it would be run
  std::vector<Value> argv;  // of the innermost command: wrappers and assignments are removed
  std::vector<std::string> wrappers;    // names, outermost first: sudo, env, timeout
  std::vector<NamedValue> assignments;  // NAME=value before it, env NAME=value, export
  std::vector<Access> accesses;
  std::vector<Nesting> nesting;
  std::vector<std::string> fed_by;  // programs whose output it reads, nearest first
  std::vector<std::string> feeds;   // programs that read its output
  std::vector<std::string> hosts;   // of URLs and host operands, lower case; "" for unknown
  std::string subcommand;           // "push", "remote add": operands that the program's table names
  std::vector<int> operands;        // indexes into argv of words that are neither options nor
                                    // values of options
  std::vector<int> options;         // indexes into argv of options
  std::string unknown_input;        // what it reads, if that stands in the line and has parts that
                                    // are not known; bounded
  // Variables whose values its unknown words, or its input, may hold: see Flows::names.
  std::vector<std::string> holds;
  std::string cwd;          // absolute; "": not known
  bool privileged = false;  // run by sudo, doas, su or pkexec
  bool remote = false;      // runs on another machine or in a container

  bool known_program = false;  // Knowledge has a table for it
  bool of_start = false;       // it stands for what a start sets: variables and logs
};

// A program that takes what is typed, and the language in which it is code to it ("": none).
struct InputReader {
  std::string program;
  std::string language;

  bool operator==(const InputReader&) const = default;
};

struct Facts {
  std::vector<std::string> sources;     // [0] the line; the rest code that was found inside
  std::vector<SimpleCommand> commands;  // in the order in which they are written
  // What starts some of them and does nothing else that is known: sudo ls, tmux new CMD. Only rules
  // that ask or deny speak of these; the programs that they start decide about the rest.
  std::vector<SimpleCommand> carriers;
  std::vector<DoubtFact> doubts;
  // The programs that read code from the run's own input.
  std::vector<InputReader> readers;
  bool assigns = false;         // the line may set variables, by whatever means
  Dialects shell_dialects = 0;  // what those shells may read
  std::string shown;            // the line (or argv, quoted), escaped for a terminal; bounded

  // Rules see the carriers behind the commands.
  std::size_t subjects() const { return commands.size() + carriers.size(); }
  const SimpleCommand& subject(std::size_t index) const {
    return index < commands.size() ? commands[index] : carriers.at(index - commands.size());
  }
};

// Makes untrusted text safe for terminals and logs: control, invisible and bidirectional characters
// become \x... Cuts at `most` bytes.
std::string escaped(std::string_view text, std::size_t most);

}  // namespace gibbous::command
