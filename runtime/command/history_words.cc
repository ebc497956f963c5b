// The words of a line in the history, as bash's history library cuts them for `!!:2`.
#include <algorithm>

#include "runtime/command/characters.h"
#include "runtime/command/past.h"

namespace gibbous::command {
namespace {

// Returns the end of the word that begins at `at`.
std::size_t word_end(std::string_view line, std::size_t at) {
  const auto byte = [line](std::size_t index) { return index < line.size() ? line[index] : '\0'; };
  if (byte(at) == '(' || byte(at) == ')' || byte(at) == '\n') return at + 1;
  if (is_digit(byte(at))) {
    std::size_t digits = at;
    while (is_digit(byte(digits))) ++digits;
    if (digits >= line.size()) return digits;
    if (byte(digits) == '<' || byte(digits) == '>') at = digits;
  }
  if (is_metacharacter(byte(at)) && !is_blank(byte(at))) {
    const char first = byte(at);
    const char second = byte(at + 1);
    const bool moves = first == '<' || first == '>';
    if (second == first) {
      const bool third = second == '<' && (byte(at + 2) == '-' || byte(at + 2) == '<');
      return at + (third ? 3 : 2);
    }
    if (second == '&' && moves) {
      at += 2;
      while (is_digit(byte(at))) ++at;
      return byte(at) == '-' ? at + 1 : at;
    }
    const bool pair = (second == '>' && first == '&') || (second == '|' && first == '>');
    return at + (pair ? 2 : 1);
  }
  char delimiter = '\0';
  for (; at < line.size(); ++at) {
    const char each = line[at];
    if (delimiter != '\0') {
      if (each == delimiter) delimiter = '\0';
    } else if (is_metacharacter(each)) {
      break;
    } else if (each == '\'' || each == '"') {
      delimiter = each;
    }
  }
  return at;
}

}  // namespace

std::vector<std::string> history_words(std::string_view line) {
  std::vector<std::string> words;
  std::size_t at = 0;
  while (true) {
    while (at < line.size() && (is_blank(line[at]) || line[at] == '\n')) ++at;
    if (at >= line.size() || line[at] == '#') return words;
    const std::size_t end = std::max(word_end(line, at), at + 1);
    words.emplace_back(line.substr(at, end - at));
    at = end;
  }
}

}  // namespace gibbous::command
