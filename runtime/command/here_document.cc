// Parser: here-documents. It reads the delimiter with the redirection, and the body after the end
// of the line.
#include <algorithm>
#include <string>
#include <utility>

#include "runtime/command/characters.h"
#include "runtime/command/parser.h"

namespace gibbous::command {

void Parser::here_document(Node& node, Redirection redirection, bool strip_tabs) {
  bool quoted = false;
  peek();
  const std::size_t begin = at_;
  std::optional<std::string> word = delimiter(quoted);
  if (halted()) return;
  if (!word) {
    // bash rewrites the substitution and waits for the rewritten text. The end of the body is
    // therefore unknown, and its lines are read as commands.
    complain("an expansion in the delimiter of a here-document");
    at_ = begin;
    redirection.target = read_word({});
    node.redirections.push_back(std::move(redirection));
    return;
  }
  redirection.literal_body = quoted;
  node.redirections.push_back(std::move(redirection));
  pending_.push_back({&node, node.redirections.size() - 1, std::move(*word), strip_tabs});
}

// Returns the delimiter without its quotes. Returns nothing after an error, or if it contains an
// expansion.
std::optional<std::string> Parser::delimiter(bool& quoted) {
  if (!at_word_start()) {
    fail_here("the delimiter of a here-document");
    return std::nullopt;
  }
  WordStyle style;
  style.braces = style.patterns = style.tilde = false;
  const Word word = read_word(style);
  std::string text;
  for (const Part& part : word.parts) {
    if (part.kind != Part::Kind::kText) return std::nullopt;
    text += part.text;
    quoted = quoted || part.quoted;
  }
  if (halted()) return std::nullopt;
  return text;
}

// Reads the pending bodies from the line at `at` on, and returns the place after them.
std::size_t Parser::read_bodies(std::size_t at) {
  std::vector<PendingBody> bodies;
  bodies.swap(pending_);
  for (const PendingBody& body : bodies) {
    if (halted()) break;
    at = read_body(at, body);
  }
  return at;
}

// Appends the line at `at` to `made`, without leading tabs, and with continuations joined if the
// body is expanded. Moves `at` to the newline.
void Parser::read_line(std::size_t& at, bool joins, bool strip_tabs, std::string& made) {
  bool at_start = strip_tabs;
  std::size_t run = at;
  const auto flush = [&](std::size_t to) {
    while (at_start && run < to && text_[run] == '\t') ++run;
    at_start = at_start && run == to;
    if (to > run) made += text_.substr(run, to - run);
  };
  while (at < end_ && text_[at] != '\n') {
    const bool escapes = joins && text_[at] == '\\' && at + 1 < end_;
    if (escapes && text_[at + 1] == '\n') {
      flush(at);
      run = at += 2;
    } else {
      at += escapes ? 2 : 1;
    }
  }
  flush(at);
}

std::size_t Parser::read_body(std::size_t at, const PendingBody& pending) {
  Redirection& redirection = pending.node->redirections[pending.index];
  const std::string_view word = pending.delimiter;
  const std::size_t begin = at;
  std::size_t end = at;
  std::string made;
  std::size_t size = 0;
  while (at < end_) {
    std::size_t start = at;
    read_line(at, !redirection.literal_body, pending.strip_tabs, made);
    const std::string_view line = std::string_view(made).substr(size);
    bool ends = line == word;
    if (ends && !bash() && text_.substr(start, at - start).find('\n') != kNowhere) {
      // Other shells compare the lines with the delimiter before they join them, but not in front.
      complain("a here-document ends in a continued line");
      while (text_.substr(start).starts_with("\\\n")) start += 2;
      ends = text_.substr(start, at - start).find('\n') == kNowhere;
    }
    if (ends) {
      at = at < end_ ? at + 1 : at;
      break;
    }
    if (bash() && in_parentheses_ && line.starts_with(word) &&
        line.find(')', word.size()) != kNowhere) {
      // bash ends the body here and reads the text after the delimiter as commands.
      at -= line.size() - word.size();
      break;
    }
    if (at < end_) {
      made += '\n';
      ++at;
    }
    end = at;
    size = made.size();
  }
  made.resize(size);
  const bool substitutes = made.find('`') != kNowhere || made.find("$(") != kNowhere;
  if (!bash() && pending.strip_tabs && !redirection.literal_body && substitutes) {
    // Other shells leave the tabs of the lines in it.
    complain("a substitution in a here-document with <<-");
  }
  parse_body(redirection, begin, end, made);
  return at;
}

// `body` was made from bytes [begin, end).
void Parser::parse_body(Redirection& redirection, std::size_t begin, std::size_t end,
                        std::string_view body) {
  const Level level(*this);
  const std::size_t place = at_;
  const std::size_t read = read_until_;
  Word& target = redirection.target;
  Source rewritten{body, true, {}};
  Parser reader(state_, rewritten, 0, body.size());
  if (redirection.literal_body) {
    reader.add_text(target.parts, body, true);
  } else {
    reader.decodes_quotes_ = false;
    reader.double_pieces(target.parts, Double::kHere);
    contain(reader, target.parts, 0, reader.end_);
  }
  if (state_.recovered && spend_recovery()) {
    // After an error, bash may read this as commands instead of a here-document.
    add_script(target.parts, Part::Kind::kCommand, true, begin, end,
               script_of(source_, begin, end));
  }
  at_ = place;
  read_until_ = read;
}

}  // namespace gibbous::command
