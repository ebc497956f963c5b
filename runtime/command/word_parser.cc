// Parser: words, by their unquoted characters, and array arguments.
#include <utility>

#include "runtime/command/characters.h"
#include "runtime/command/parser.h"

namespace gibbous::command {
namespace {

// Returns true if the word so far is `name=` or `name+=`, after which ~ is expanded.
bool is_assignment_so_far(const std::vector<Part>& parts) {
  if (parts.size() != 1 || parts[0].kind != Part::Kind::kText || parts[0].quoted) return false;
  std::string_view name = parts[0].text;
  if (name.ends_with('+')) name.remove_suffix(1);
  if (name.empty() || !is_name_start(name.front())) return false;
  for (const char c : name) {
    if (!is_name(c)) return false;
  }
  return true;
}

bool ends_with_equals(const std::vector<Part>& parts) {
  return !parts.empty() && parts.back().kind == Part::Kind::kText && !parts.back().quoted &&
         parts.back().text.ends_with('=');
}

}  // namespace

Part* Parser::add_part(std::vector<Part>& parts, Part::Kind kind, bool quoted, std::size_t begin,
                       std::size_t end) {
  if (!count()) return nullptr;
  Part& part = parts.emplace_back();
  part.kind = kind;
  part.quoted = quoted;
  part.written = text_.substr(begin, std::min(end - begin, kMostWritten));
  return &part;
}

void Parser::add_text(std::vector<Part>& parts, std::string_view text, bool quoted) {
  if (!parts.empty() && parts.back().kind == Part::Kind::kText && parts.back().quoted == quoted) {
    parts.back().text += text;
  } else if (Part* part = add_part(parts, Part::Kind::kText, quoted)) {
    part->text = text;
  }
}

Word Parser::read_word(const WordStyle& style) {
  Word word;
  peek();
  if (count()) unquoted(word.parts, style);
  return word;
}

void Parser::unquoted(std::vector<Part>& parts, const WordStyle& style) {
  bool assigning = style.assigned;
  bool tilde_here = style.tilde;
  std::vector<bool> tilde_in_brace;  // for each open brace, whether nothing stands before it
  bool braces_seen = false;
  bool equals_seen = style.assigned || style.bounded;
  while (!halted()) {
    const int c = peek();
    if (c == kEnd) break;
    if (is_ordinary(c)) {
      const std::size_t begin = at_;
      while (at_ < end_ && is_ordinary(static_cast<unsigned char>(text_[at_]))) ++at_;
      read_until_ = at_;
      add_text(parts, text_.substr(begin, at_ - begin), false);
      tilde_here = false;
      continue;
    }
    if (c == '~' && tilde_here && tilde(parts, assigning)) {
      tilde_here = false;
      continue;
    }
    const bool at_start = std::exchange(tilde_here, false);
    if (c == '=' && !equals_seen) {
      equals_seen = true;
      assigning = tilde_here = is_assignment_so_far(parts);
    } else if (c == ':' && assigning) {
      tilde_here = true;
    } else if (style.braces && bash() && (c == '{' || c == '}' || c == ',')) {
      braces_seen = true;
      if (c == '{') tilde_in_brace.push_back(at_start);
      tilde_here = c != '}' && !tilde_in_brace.empty() && tilde_in_brace.back();
      if (c == '}' && !tilde_in_brace.empty()) tilde_in_brace.pop_back();
      brace(parts, c);
      continue;
    }
    if (is_metacharacter(c) && !style.bounded) {
      if (begins_process(c, at_)) {
        process(parts);
      } else if (style.regex && c == '(') {
        regex_group(parts, style);
      } else if (style.regex && c == '|') {
        add_text(parts, "|", false);
        advance();
      } else if (style.arrays && c == '(' && bash() && ends_with_equals(parts)) {
        complain("an array in a word");
        add_text(parts, "(", false);
        std::vector<Word> elements;
        array_elements(elements);
        for (Word& element : elements)
          parts.insert(parts.end(), element.parts.begin(), element.parts.end());
      } else {
        break;
      }
      continue;
    }
    if (!unquoted_special(parts, style, c)) break;
  }
  if (braces_seen) settle_braces(parts);
}

// Handles one character that may be special; returns false where the word ends before it.
bool Parser::unquoted_special(std::vector<Part>& parts, const WordStyle& style, int c) {
  switch (c) {
    case '\\':
      backslash(parts);
      return true;
    case '\'':
      single_quoted(parts);
      return true;
    case '"':
      double_quoted(parts, Double::kQuotes);
      return true;
    case '`':
      backticks(parts, false, false);
      return true;
    case '$':
      if (!dollar(parts, false)) {
        const bool may_be_name = style.braces && bash();
        // {$,}x becomes $x, a parameter whose name is unknown here.
        Part* part = nullptr;
        if (may_be_name && second() != kEnd && (second() == ',' || second() == '}')) {
          part = add_part(parts, Part::Kind::kParameter, false, at_, at_ + 1);
        }
        if (part == nullptr) add_text(parts, "$", false);
        advance();
      }
      return true;
    case '<':
    case '>':
      if (begins_process(c, at_)) {
        process(parts);
        return true;
      }
      break;
    case '?':
    case '*':
    case '+':
    case '@':
    case '!':
      if (style.patterns && !style.bounded && bash() && second() == '(') {
        std::size_t inside = at_ + 1;
        character_behind(inside);
        ++inside;
        while (is_blank(character_behind(inside))) ++inside;
        if (!style.command || character_behind(inside) != ')') {
          extended_pattern(parts, style);
          return true;
        }
      }
      if (style.patterns && (c == '?' || c == '*')) {
        if (Part* part = add_part(parts, Part::Kind::kGlob, false)) {
          part->text = static_cast<char>(c);
        }
        advance();
        return true;
      }
      break;
    case '[':
      if (style.patterns) {
        bracket(parts);
        return true;
      }
      break;
    default:
      break;
  }
  add_text(parts, text_.substr(at_, 1), false);
  advance();
  return true;
}

}  // namespace gibbous::command
