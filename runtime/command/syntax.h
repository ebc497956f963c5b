// The syntax tree of a command line for a shell: POSIX and what bash adds. parse.h makes it,
// analyse.h walks it. Plain data without a lock.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gibbous::command {

struct Node;
inline constexpr std::size_t kNoPlace = static_cast<std::size_t>(-1);  // in rewritten text

// A piece of a word. Quotes, backslashes, line continuations, $'...' and $"..." are decoded here.
struct Part {
  enum class Kind : std::uint8_t {
    kText,        // `text`, literally
    kGlob,        // an unquoted *, ?, [...] or extended ?(..) *(..) +(..) @(..) !(..); `text` as
                  // written
    kTilde,       // ~ or ~user where the shell expands it; `text`: the user, "" is oneself
    kParameter,   // $name, ${...}; see below
    kCommand,     // $( ) or ` `; `script` is what runs
    kProcess,     // <( ) or >( ); `script`; `text` is "<" or ">"
    kArithmetic,  // $(( )) or $[ ]; `operand` holds its pieces (expansions in it run)
    kBraceOpen,   // an unquoted { that may open a brace expansion; literal otherwise
    kBraceComma,  // an unquoted , inside such braces
    kBraceClose,  // the unquoted } that closes one
  };
  Kind kind = Kind::kText;
  bool quoted = false;  // inside quotes or after a backslash: not split, no patterns
  std::string written;  // of an expansion: its beginning, as written
  std::string text;     // kParameter: the name: "x", "1", "@", "?", "x[i]" without the subscript
  // kParameter: the operator as written: "", "#" (length), "!" (indirect), "-", ":-", "=", ":=",
  // "?", ":?", "+", ":+", "%", "%%", "#" as prefix removal is "p#", "##", "/", "//", "/#", "/%",
  // "^",
  // "^^", ",", ",,", ":" (substring), "@" (transformation), "!*" (names with a prefix)
  std::string op;
  bool subscripted = false;      // kParameter: ${x[...]}; the subscript is in `operand`, first
  std::vector<Part> operand;     // kParameter: subscript and what follows the operator; kArithmetic
  std::shared_ptr<Node> script;  // kCommand, kProcess; never null there
};

// A word as the shell would expand it; "" quoted is a word with one quoted empty kText.
struct Word {
  std::vector<Part> parts;
};

struct Assignment {
  std::string name;
  bool append = false;       // +=
  bool array = false;        // name=( ... ): `elements`
  bool subscripted = false;  // name[...]=: `subscript`
  std::vector<Part> subscript;
  Word value;                  // tildes after : are kTilde here
  std::vector<Word> elements;  // `[key]=value` elements are one word each, as written
};

struct Redirection {
  enum class Op : std::uint8_t {
    kRead,        // <
    kWrite,       // >, >>, >|
    kReadWrite,   // <>
    kDupIn,       // <&
    kDupOut,      // >&  (with a word that is no number and no -, it writes a file: bash)
    kBoth,        // &>, &>>
    kHere,        // << and <<-: `target` is the body, expanded unless the delimiter was quoted
    kHereString,  // <<<
  };
  Op op = Op::kRead;
  int fd = -1;                // 2>: 2; -1: none written
  std::string fd_variable;    // {name}>
  bool literal_body = false;  // kHere: the delimiter was quoted, so the body is one kText
  Word target;
};

// A command of any kind. Lists are flat: depth grows only with real nesting.
struct Node {
  enum class Kind : std::uint8_t {
    kList,           // children separated by ; newline & && ||; `operators[i]` follows child i
    kPipeline,       // children joined by | or |&; with one child behind ! or time
    kSimple,         // assignments, words, redirections; any may be empty
    kSubshell,       // ( ): child 0
    kGroup,          // { }: child 0
    kIf,             // children: condition, then, [condition, then ...], [else]
    kWhile,          // children: condition, body; also until
    kFor,            // `name` in `words` (has_words false: "$@"); child 0 the body
    kArithmeticFor,  // for (( )): `arithmetic`; child 0 the body
    kCase,           // words[0] the subject; `patterns`; children the bodies
    kFunction,       // `name`; child 0 the body
    kTest,           // [[ ]]: `words` in order, operators included (as plain text words)
    kArithmetic,     // (( )): `arithmetic`
  };
  enum class Operator : std::uint8_t { kSequence, kBackground, kAnd, kOr };

  Kind kind = Kind::kList;
  std::size_t begin = kNoPlace;  // its place in the text
  std::vector<std::unique_ptr<Node>> children;
  std::vector<Operator> operators;  // kList, one for each child; the last is kSequence if unwritten
  std::vector<Assignment> assignments;
  std::vector<Word> words;
  bool has_words = false;
  std::vector<Redirection> redirections;  // also of compound commands
  std::string name;
  std::vector<std::vector<Word>> patterns;  // kCase, one list a body
  std::vector<Part> arithmetic;
};

}  // namespace gibbous::command
