// Parser: reads characters, records errors and limits, and reads scripts inside other constructs.
#include "runtime/command/parser.h"

#include <algorithm>
#include <array>
#include <utility>

#include "runtime/command/characters.h"

namespace gibbous::command {
namespace {

// Skip the rest after this many syntax errors: each may have cost a search to the end of the text.
constexpr int kMostRecoveries = 64;
constexpr std::size_t kScriptNodes = 4;  // what a script in a word costs, though it is empty

constexpr std::array<std::string_view, 21> kReserved = {
    "!",        "[[", "case", "coproc", "do",   "done", "elif",  "else",  "esac", "fi", "for",
    "function", "if", "in",   "select", "then", "time", "until", "while", "{",    "}"};
constexpr std::size_t kLongestReserved = 8;
constexpr std::array<bool, 256> kBeginsReserved = [] {
  std::array<bool, 256> made{};
  for (const std::string_view word : kReserved) made[static_cast<unsigned char>(word[0])] = true;
  return made;
}();

}  // namespace

Parser::Level::Level(Parser& parser) : state_(parser.state_) {
  if (++state_.depth > state_.limits.depth) parser.exhaust("nested too deep");
}

Parser::Level::~Level() {
  --state_.depth;
}

Parser::Bounds::Bounds(Parser& parser, std::size_t begin, std::size_t end)
    : parser_(parser), end_(parser.end_) {
  parser.at_ = begin;
  parser.read_until_ = begin;
  parser.end_ = end;
}

Parser::Bounds::~Bounds() {
  parser_.end_ = end_;
}

Parser::Parser(ParseState& state, Source& source, std::size_t begin, std::size_t end)
    : state_(state),
      source_(source),
      text_(source.text),
      at_(begin),
      end_(end),
      read_until_(begin) {}

int Parser::behind_continuations(std::size_t& at) const {
  while (at + 1 < end_ && text_[at] == '\\' && text_[at + 1] == '\n') at += 2;
  return at < end_ ? static_cast<unsigned char>(text_[at]) : kEnd;
}

int Parser::second() {
  if (peek() == kEnd) return kEnd;
  std::size_t next = at_ + 1;
  return character_behind(next);
}

void Parser::advance() {
  read_until_ = at_ + 1;
  ++at_;
}

std::string Parser::slice(std::size_t begin, std::size_t end) const {
  return end > begin ? std::string(text_.substr(begin, end - begin)) : std::string();
}

void Parser::skip_blanks() {
  while (is_blank(peek())) advance();
  if (peek() != '#') return;
  const std::size_t newline = text_.substr(0, end_).find('\n', at_);
  at_ = newline == kNowhere ? end_ : newline;
}

void Parser::consume_newline() {
  advance();
  if (pending_.empty()) return;
  at_ = read_bodies(at_);
}

void Parser::skip_newlines() {
  for (skip_blanks(); peek() == '\n'; skip_blanks()) consume_newline();
}

// Returns true for <( and >(, where the dialect has them.
bool Parser::begins_process(int c, std::size_t at) const {
  if ((c != '<' && c != '>') || dash()) return false;
  std::size_t next = at + 1;
  return character_behind(next) == '(';
}

bool Parser::at_word_start() {
  const int c = peek();
  return c != kEnd && (!is_metacharacter(c) || begins_process(c, at_));
}

// Returns true for a reserved word that is an ordinary one in this dialect.
bool Parser::lacks(std::string_view word) const {
  if (word == "function") return dash();
  const bool only_bash = word == "[[" || word == "coproc" || word == "select" || word == "time";
  return only_bash && !bash();
}

std::string_view Parser::reserved_word() {
  std::array<char, kLongestReserved> word{};
  std::size_t size = 0;
  const int first = peek();
  if (first == kEnd || !kBeginsReserved[static_cast<unsigned char>(first)]) return {};
  std::size_t at = at_;
  int c = character_behind(at);
  for (; c != kEnd && !is_metacharacter(c); c = character_behind(at)) {
    if (size == word.size()) return {};
    word[size++] = static_cast<char>(c);
    ++at;
  }
  if (begins_process(c, at)) return {};
  const std::string_view found(word.data(), size);
  for (const std::string_view reserved : kReserved) {
    if (reserved == found) return lacks(reserved) ? std::string_view() : reserved;
  }
  return {};
}

bool Parser::take_reserved(std::string_view word) {
  if (reserved_word() != word) return false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    peek();
    advance();
  }
  return true;
}

void Parser::note(std::string_view message, bool over_limit) {
  ParseError& error = state_.error;
  if (error.message.empty()) {
    error.message = message;
  }
  error.over_limit = error.over_limit || over_limit;
}

void Parser::complain(std::string_view message) {
  if (!halted()) note(message, false);
}

void Parser::fail(std::size_t begin, std::string_view message) {
  if (halted()) return;
  note(message, false);
  stopped_ = true;
  failed_at_ = begin;
}

void Parser::fail_here(std::string_view wanted) {
  if (halted()) return;
  const int c = peek();
  std::string message;
  if (c == kEnd) {
    message = "the text ends";
  } else if (c == '\n') {
    message = "the line ends";
  } else {
    message = "unexpected '" + slice(at_, at_ + 1) + "'";
  }
  if (!wanted.empty()) message.append(" where ").append(wanted).append(" is expected");
  fail(at_, message);
}

void Parser::exhaust(std::string_view message) {
  if (halted()) return;
  note(message, true);
  state_.exhausted = true;
}

bool Parser::count() {
  if (++state_.nodes > state_.limits.nodes) exhaust("too many commands and words");
  return !halted();
}

void Parser::parse_all(Node& root) {
  root.kind = Node::Kind::kList;
  std::size_t resumed_at = at_;
  while (true) {
    parse_list(root);
    if (!halted() && peek() == kEnd) break;
    fail_here("");
    if (state_.exhausted) break;
    stopped_ = false;
    if (!spend_recovery()) break;
    stopped_ = true;
    pending_.clear();
    state_.recovered = true;
    // A command may follow an unexpected operator at once.
    const bool misplaced = failed_at_ >= resumed_at && failed_at_ < end_ &&
                           std::string_view(")}|&").find(text_[failed_at_]) != kNowhere;
    const std::size_t from = failed_at_ > resumed_at ? failed_at_ : resumed_at;
    const std::size_t next = misplaced ? from : text_.substr(0, end_).find_first_of(";\n", from);
    if (next == kNowhere) break;
    stopped_ = false;
    at_ = resumed_at = next + 1;
  }
  stopped_ = false;
}

std::shared_ptr<Node> Parser::script_in_parentheses() {
  if (const auto kept = source_.scripts.find(at_); kept != source_.scripts.end()) {
    std::shared_ptr<Node> root = std::move(kept->second.root);
    at_ = kept->second.end;
    read_until_ = at_;
    source_.scripts.erase(kept);
    return root;
  }
  auto root = std::make_shared<Node>();
  const Level level(*this);
  const std::size_t open = at_;
  std::vector<PendingBody> outside;
  outside.swap(pending_);
  const bool outer_in_parentheses = std::exchange(in_parentheses_, true);
  const bool outer_decodes = std::exchange(decodes_quotes_, true);
  advance();
  parse_list(*root);
  if (peek() == ')') {
    advance();
    if (!pending_.empty()) {
      // Its body begins behind the parenthesis: what follows is read as commands.
      complain("a here-document without its body in parentheses");
      state_.recovered = true;
    }
  } else if (!halted()) {
    if (peek() == kEnd) {
      fail(open, "no closing ')'");
    } else {
      fail_here("')'");
    }
  }
  pending_.swap(outside);
  in_parentheses_ = outer_in_parentheses;
  decodes_quotes_ = outer_decodes;
  return root;
}

bool Parser::keep_script(std::size_t open, std::size_t& end) {
  if (const auto kept = source_.scripts.find(open); kept != source_.scripts.end()) {
    end = kept->second.end;
    return true;
  }
  const std::size_t place = at_;
  const std::size_t read = read_until_;
  at_ = open;
  std::shared_ptr<Node> root = script_in_parentheses();
  if (halted()) return false;
  end = at_;
  at_ = place;
  read_until_ = read;
  source_.scripts[open] = {std::move(root), end};
  return true;
}

std::shared_ptr<Node> Parser::script_of(Source& source, std::size_t begin, std::size_t end) {
  auto root = std::make_shared<Node>();
  const Level level(*this);
  if (!halted()) Parser(state_, source, begin, end).parse_all(*root);
  return root;
}

// The part of a script that was read is kept even if an error ends everything around it.
void Parser::add_script(std::vector<Part>& parts, Part::Kind kind, bool quoted, std::size_t begin,
                        std::size_t end, std::shared_ptr<Node> script) {
  state_.nodes += kScriptNodes;
  if (state_.exhausted) ++state_.nodes;
  if (!state_.exhausted) count();
  Part& part = parts.emplace_back();
  part.kind = kind;
  part.quoted = quoted;
  part.written = text_.substr(begin, std::min(end - begin, kMostWritten));
  part.script = std::move(script);
}

bool Parser::spend_recovery() {
  if (++state_.recoveries > kMostRecoveries) exhaust("too many errors");
  return !halted();
}

// `reader` stopped between `begin` and `end`, the known end of the expansion. bash would notice
// only when it gets there, so the unread part is read as commands.
void Parser::contain(Parser& reader, std::vector<Part>& parts, std::size_t begin, std::size_t end) {
  if (!reader.stopped_ || state_.exhausted) return;
  reader.stopped_ = false;
  stopped_ = false;
  if (!spend_recovery()) return;
  const std::size_t from = std::max(begin, std::min(reader.failed_at_, end));
  std::shared_ptr<Node> script = script_of(reader.source_, from, end);
  reader.add_script(parts, Part::Kind::kCommand, true, from, end, std::move(script));
}

std::unique_ptr<Node> Parser::make(Node::Kind kind) {
  count();
  auto node = std::make_unique<Node>();
  node->kind = kind;
  return node;
}

}  // namespace gibbous::command
