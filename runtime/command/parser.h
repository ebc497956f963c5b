// The recursive-descent parser of parse(): one class, because words hold commands and commands hold
// words. parser.cc reads characters, errors and scripts; matched_pair.cc finds ends. Words are in
// word_parser.cc, word_pattern.cc, quoting.cc, expansion_parser.cc and braced_parameter.cc,
// commands in redirection_parser.cc, here_document.cc, simple_command.cc, command_parser.cc,
// compound_command.cc and condition.cc. Only parse.cc uses it. One thread at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runtime/command/parse.h"
#include "runtime/command/syntax.h"

namespace gibbous::command {

// The state that the parsers of one text share: one parser for the text, and one for each piece
// that has to be rewritten before it can be read.
struct ParseState {
  ParseLimits limits;
  Dialect dialect = Dialect::kBash;
  std::size_t nodes = 0;
  int depth = 0;
  int recoveries = 0;
  bool recovered = false;  // from an error that ended a command
  bool exhausted = false;  // a limit was reached: all parsers stop
  ParseError error;        // the first one
};

// The text of a line, or of a piece that was rewritten.
struct Source {
  // A script in parentheses that was parsed while the parser searched for the end of the text
  // around it. The parser takes it from here when it gets there, so nothing is parsed twice.
  struct Script {
    std::shared_ptr<Node> root;
    std::size_t end = 0;  // after the closing parenthesis
  };

  std::string_view text;
  bool rewritten = false;                           // its places are none of the line
  std::unordered_map<std::size_t, Script> scripts;  // by the place of the opening parenthesis
};

class Parser {
 public:
  static constexpr std::size_t kMostWritten = 160;  // bytes of an expansion that are shown
  static constexpr int kEnd = -1;                   // after the last character
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

  // Reads bytes [begin, end) of `source`. Both must outlive the parser.
  Parser(ParseState& state, Source& source, std::size_t begin, std::size_t end);
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  // Reads everything as a list of commands, and continues after text that it does not understand.
  void parse_all(Node& root);

 private:
  // The ways to read the pieces of an unquoted word.
  struct WordStyle {
    bool assigned = false;  // the value of an assignment: ~ after : too, no braces
    bool braces = true;     // braces may be expanded
    bool arrays = false;    // name=( ) may follow, as after `declare`
    bool command = false;   // in command position: `f+()` is a function, not a pattern
    bool regex = false;     // after =~: ( and | belong to the word
    bool bounded = false;   // inside ${ }: everything up to the end belongs to the word
    bool patterns = true;   // *, ? and [ ] are patterns
    bool tilde = true;      // ~ at the start
  };
  // The places with the rules of double quotes.
  enum class Double { kQuotes, kBraced, kBracedQuotes, kArithmetic, kHere };
  // The surroundings of a matched pair, which decide what counts inside.
  enum class Dollars { kNone, kParentheses, kAll };
  struct PairStyle {
    Dollars dollars = Dollars::kParentheses;  // which of $( ), ${ } and $[ ] count inside
    bool first_close = false;                 // ${ }: the first } ends it
    bool substitutes = false;                 // <( ) counts: ${ } and subscripts
    bool escapes = false;                     // $'..': a backslash hides the quote
    bool quotes = true;                       // ' and " count
    bool double_quoted = false;               // inside "..."
  };
  struct PendingBody {
    Node* node = nullptr;  // has the redirection
    std::size_t index = 0;
    std::string delimiter;
    bool strip_tabs = false;
  };
  // A nesting level, given back at the end of the block.
  class Level {
   public:
    explicit Level(Parser& parser);
    ~Level();
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    ParseState& state_;
  };
  // Limits reading to [begin, end) until the end of the block; the caller sets the place.
  class Bounds {
   public:
    Bounds(Parser& parser, std::size_t begin, std::size_t end);
    ~Bounds();
    Bounds(const Bounds&) = delete;
    Bounds& operator=(const Bounds&) = delete;

   private:
    Parser& parser_;
    std::size_t end_;
  };
  friend class Level;
  friend class Bounds;

  // Characters (parser.cc). peek() and second() skip line continuations.
  int peek() { return halted() ? kEnd : character_behind(at_); }
  int second();
  // Moves `at` over continuations.
  int character_behind(std::size_t& at) const {
    if (at < end_ && text_[at] != '\\') return static_cast<unsigned char>(text_[at]);
    return behind_continuations(at);
  }
  int behind_continuations(std::size_t& at) const;
  void advance();
  std::size_t before(std::size_t at, std::size_t from) const;
  bool halted() const { return stopped_ || state_.exhausted; }
  bool bash() const { return is_bash(state_.dialect); }
  bool dash() const { return state_.dialect == Dialect::kDash; }
  bool begins_process(int c, std::size_t at) const;  // `c` at `at`, of <( or >(
  void skip_blanks();                                // and a comment
  void skip_newlines();
  void consume_newline();
  bool at_word_start();
  bool lacks(std::string_view reserved) const;
  std::string_view reserved_word();  // the one that stands here, or ""
  bool take_reserved(std::string_view word);
  std::string slice(std::size_t begin, std::size_t end) const;

  // Errors (parser.cc).
  void fail(std::size_t begin, std::string_view message);
  void fail_here(std::string_view wanted);
  void complain(std::string_view message);
  void exhaust(std::string_view message);
  bool count();
  void note(std::string_view message, bool over_limit);

  // Scripts (parser.cc).
  std::shared_ptr<Node> script_in_parentheses();
  bool keep_script(std::size_t open, std::size_t& end);
  std::shared_ptr<Node> script_of(Source& source, std::size_t begin, std::size_t end);
  void add_script(std::vector<Part>& parts, Part::Kind kind, bool quoted, std::size_t begin,
                  std::size_t end, std::shared_ptr<Node> script);
  void contain(Parser& reader, std::vector<Part>& parts, std::size_t begin, std::size_t end);
  bool spend_recovery();

  // Returns the place of the character that closes what opened before `at`, or kNowhere after
  // noting an error (matched_pair.cc).
  std::size_t matched_end(std::size_t at, char open, char close, PairStyle style);
  bool skip_nested(std::size_t& at, char c, PairStyle style);
  static PairStyle braces_or_subscript(bool double_quoted);
  PairStyle arithmetic_pair() const;
  bool single_quotes_count(std::size_t at) const;
  bool is_arithmetic(std::size_t begin, std::size_t end);
  bool is_doubtful(std::size_t begin, std::size_t end) const;

  // Words (word_parser.cc, word_pattern.cc, quoting.cc).
  Word read_word(const WordStyle& style);
  void unquoted(std::vector<Part>& parts, const WordStyle& style);
  bool unquoted_special(std::vector<Part>& parts, const WordStyle& style, int c);
  void extended_pattern(std::vector<Part>& parts, const WordStyle& style);
  void regex_group(std::vector<Part>& parts, const WordStyle& style);
  void backslash(std::vector<Part>& parts);
  void single_quoted(std::vector<Part>& parts);
  void double_quoted(std::vector<Part>& parts, Double mode);
  void double_pieces(std::vector<Part>& parts, Double mode);
  bool tilde(std::vector<Part>& parts, bool colon_ends);
  void bracket(std::vector<Part>& parts);
  void brace(std::vector<Part>& parts, int c);
  void settle_braces(std::vector<Part>& parts);
  // [begin, end) is what `written` shows of an expansion.
  Part* add_part(std::vector<Part>& parts, Part::Kind kind, bool quoted, std::size_t begin = 0,
                 std::size_t end = 0);
  void add_text(std::vector<Part>& parts, std::string_view text, bool quoted);

  // Expansions (expansion_parser.cc). dollar() returns false for a $ that stands for itself.
  bool dollar(std::vector<Part>& parts, bool quoted);
  void name_after_dollar(std::vector<Part>& parts, bool quoted);
  void command_or_arithmetic(std::vector<Part>& parts, bool quoted);
  void arithmetic_brackets(std::vector<Part>& parts, bool quoted);
  void arithmetic_pieces(std::vector<Part>& parts, std::size_t begin, std::size_t end);
  void braced(std::vector<Part>& parts, bool quoted);
  void braced_content(Part& part);
  void braced_name(Part& part);
  void braced_operator(Part& part);
  void braced_operand(Part& part, bool first_tilde);
  bool is_length(std::size_t at);
  void backticks(std::vector<Part>& parts, bool quoted, bool strip_double_quotes);
  void process(std::vector<Part>& parts);

  // Redirections and here-documents (redirection_parser.cc, here_document.cc).
  bool redirection(Node& node);
  void redirections(Node& node);
  bool redirection_operator(Redirection& redirection, bool& strip_tabs);
  void here_document(Node& node, Redirection redirection, bool strip_tabs);
  std::optional<std::string> delimiter(bool& quoted);
  std::size_t read_bodies(std::size_t at);
  std::size_t read_body(std::size_t at, const PendingBody& pending);
  void read_line(std::size_t& at, bool joins, bool strip_tabs, std::string& made);
  void parse_body(Redirection& redirection, std::size_t begin, std::size_t end,
                  std::string_view body);

  // Commands (simple_command.cc, command_parser.cc, compound_command.cc).
  std::unique_ptr<Node> make(Node::Kind kind);
  std::unique_ptr<Node> list();
  void parse_list(Node& list);
  bool list_operator(Node& list, bool& separated);
  std::unique_ptr<Node> pipeline();
  std::unique_ptr<Node> command();
  std::unique_ptr<Node> compound();
  void finish(Node& node, std::size_t begin);
  std::unique_ptr<Node> simple();
  std::unique_ptr<Node> function_behind(Node& simple);
  std::unique_ptr<Node> function_body();
  bool assignment(Node& node);
  void assigned_value(Assignment& assignment);
  void array_elements(std::vector<Word>& elements);
  void check_subscript(std::size_t open, std::size_t close);
  std::unique_ptr<Node> parentheses();
  std::unique_ptr<Node> group();
  std::unique_ptr<Node> if_command();
  std::unique_ptr<Node> while_command();
  std::unique_ptr<Node> for_command();
  void arithmetic_for(Node& node);
  void for_words(Node& node);
  std::unique_ptr<Node> loop_body();
  std::unique_ptr<Node> list_until(std::string_view word);
  std::unique_ptr<Node> case_command();
  bool case_clause(Node& node);
  std::unique_ptr<Node> function_command();
  std::unique_ptr<Node> test_command();
  void test_operator(Node& node, std::string_view text);

  ParseState& state_;
  Source& source_;
  std::string_view text_;
  std::size_t at_;
  std::size_t end_;
  std::size_t read_until_;            // after the last character that was taken
  bool stopped_ = false;              // by an error, until the next recovery
  std::size_t failed_at_ = 0;         // where the recovery begins
  bool decodes_quotes_ = true;        // $'..' inside ${ } and arithmetic is a quotation
  bool in_parentheses_ = false;       // of a substitution
  std::size_t no_bracket_until_ = 0;  // no ] closes a [ before this
  std::vector<PendingBody> pending_;
};

}  // namespace gibbous::command
