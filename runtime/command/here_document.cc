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
    complain(begin, begin + 1, "an expansion in the delimiter of a here-document");
    at_ = begin;
    redirection.target = read_word({});
    node.redirections.push_back(std::move(redirection));
    return;
  }
  redirection.literal_body = quoted;
  redirection.range.end = source_.range(read_until_ - 1, read_until_).end;
  redirection.target.range = {redirection.range.end, redirection.range.end};
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
// body is expanded. Moves `at` to the newline. Returns false if that changed the text.
bool Parser::read_line(std::size_t& at, bool joins, bool strip_tabs, Source& made) {
  bool verbatim = true;
  bool at_start = strip_tabs;
  std::size_t run = at;
  const auto flush = [&](std::size_t to) {
    for (; at_start && run < to && text_[run] == '\t'; ++run) verbatim = false;
    at_start = at_start && run == to;
    if (to > run) made.append(source_, run, text_.substr(run, to - run));
  };
  while (at < end_ && text_[at] != '\n') {
    const bool escapes = joins && text_[at] == '\\' && at + 1 < end_;
    if (escapes && text_[at + 1] == '\n') {
      flush(at);
      run = at += 2;
      verbatim = false;
    } else {
      at += escapes ? 2 : 1;
    }
  }
  flush(at);
  return verbatim;
}

std::size_t Parser::read_body(std::size_t at, const PendingBody& pending) {
  Redirection& redirection = pending.node->redirections[pending.index];
  const std::string_view word = pending.delimiter;
  const std::size_t begin = at;
  std::size_t end = at;
  Source made;
  made.append(source_, at, "");
  std::size_t size = 0;
  bool verbatim = true;
  while (at < end_) {
    std::size_t start = at;
    const bool same = read_line(at, !redirection.literal_body, pending.strip_tabs, made);
    const std::string_view line = made.text().substr(size);
    bool ends = line == word;
    if (ends && !bash() && text_.substr(start, at - start).find('\n') != kNowhere) {
      // Other shells compare the lines with the delimiter before they join them, but not in front.
      complain(start, at, "a here-document ends in a continued line");
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
    verbatim = verbatim && same;
    if (at < end_) {
      made.append(source_, at, "\n");
      ++at;
    }
    end = at;
    size = made.text().size();
  }
  const std::string_view body = made.text().substr(0, size);
  const bool substitutes = body.find('`') != kNowhere || body.find("$(") != kNowhere;
  if (!bash() && pending.strip_tabs && !redirection.literal_body && substitutes) {
    // Other shells leave the tabs of the lines in it.
    complain(begin, end, "a substitution in a here-document with <<-");
  }
  parse_body(redirection, begin, end, made, verbatim ? 0 : size);
  return at;
}

// The body is bytes [begin, end), or the first `made_size` bytes of `made` if these differ.
void Parser::parse_body(Redirection& redirection, std::size_t begin, std::size_t end, Source& made,
                        std::size_t made_size) {
  const Level level(*this);
  const std::size_t place = at_;
  const std::size_t read = read_until_;
  Word& target = redirection.target;
  target.range = source_.range(begin, end);
  Parser reader(state_, made_size > 0 ? made : source_, made_size > 0 ? 0 : begin,
                made_size > 0 ? made_size : end);
  if (redirection.literal_body) {
    reader.add_text(target.parts, reader.text_.substr(reader.at_, reader.end_ - reader.at_), true,
                    reader.at_, reader.end_);
  } else {
    reader.decodes_quotes_ = false;
    reader.double_pieces(target.parts, Double::kHere);
    contain(reader, target.parts, made_size > 0 ? 0 : begin, reader.end_);
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
