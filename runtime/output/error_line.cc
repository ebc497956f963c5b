// The words are data; code decides what may stand around them. They find the errors of programs
// that no preset knows.
#include "runtime/output/error_line.h"

#include <array>
#include <bit>
#include <cstdint>
#include <iterator>

namespace gibbous {
namespace {

enum class Case : std::uint8_t { kAny, kExact };

struct Word {
  std::string_view text;  // lower case, unless its case counts
  Case letters = Case::kAny;
  bool may_be_counted = false;  // "0 errors", "errors: 0" and "no error" are good news
};

constexpr Word kWords[] = {
    // The most telling words come first, and longer words before their prefixes.
    {"errors", Case::kAny, true},
    {"error(s)", Case::kAny, true},
    {"error", Case::kAny, true},
    {"ERR!", Case::kExact},
    {"ERR", Case::kExact},
    {"exceptions", Case::kAny, true},
    {"exception", Case::kAny, true},
    {"fatal", Case::kAny, true},
    {"failed", Case::kAny, true},
    {"failures", Case::kAny, true},
    {"failure", Case::kAny, true},
    {"FAIL", Case::kExact, true},
    {"FAILS", Case::kExact, true},
    {"panicked"},
    {"panic", Case::kAny, true},
    {"traceback"},
    {"critical", Case::kAny, true},
    {"SEVERE", Case::kExact},
    {"segmentation fault"},
    {"segfault"},
    {"core dumped"},
    {"undefined reference"},
    {"undefined symbol"},
    {"unresolved"},
    {"unhandled"},
    {"uncaught"},
    {"assertion"},
    {"assert"},
    {"aborted"},
    {"cannot"},
    {"can't"},
    {"denied"},
    {"refused"},
    {"no such file"},
    {"not found", Case::kAny, true},
    {"out of memory"},
    {"timed out", Case::kAny, true},
};

constexpr std::string_view kNothing[] = {"0", "no", "zero", "without", "not", "never", "non"};
constexpr std::string_view kEmptyValues[] = {"0", "none", "null", "nil", "false", "\"\"", "''"};

constexpr char lower(char byte) {
  return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte - 'A' + 'a') : byte;
}
constexpr bool is_upper(char byte) {
  return byte >= 'A' && byte <= 'Z';
}
constexpr bool is_digit(char byte) {
  return byte >= '0' && byte <= '9';
}
constexpr bool is_letter(char byte) {
  return lower(byte) >= 'a' && lower(byte) <= 'z';
}
constexpr bool is_alnum(char byte) {
  return is_letter(byte) || is_digit(byte);
}

// Which words of the table, as bits, begin with a byte. This decides most positions of a line.
using WordSet = std::uint64_t;
static_assert(std::size(kWords) <= 64);

constexpr auto kWordsAt = [] {
  std::array<WordSet, 256> words{};
  for (std::size_t i = 0; i < std::size(kWords); ++i) {
    const char first = kWords[i].text[0];
    words[static_cast<unsigned char>(first)] |= WordSet{1} << i;
    if (kWords[i].letters == Case::kExact) continue;
    words[static_cast<unsigned char>(first - 'a' + 'A')] |= WordSet{1} << i;
  }
  return words;
}();

bool begins_with(std::string_view text, const Word& word) {
  if (text.size() < word.text.size()) return false;
  for (std::size_t i = 0; i < word.text.size(); ++i) {
    const char byte = word.letters == Case::kExact ? text[i] : lower(text[i]);
    if (byte != word.text[i]) return false;
  }
  return true;
}

bool equals(std::string_view text, std::string_view lower_word) {
  return text.size() == lower_word.size() && begins_with(text, {lower_word});
}

// Returns true if the text before `at` is a flag, such as -Wfatal-errors or --error.
bool is_in_flag(std::string_view line, std::size_t at) {
  while (at > 0 && (is_alnum(line[at - 1]) || line[at - 1] == '-')) --at;
  return line[at] == '-';
}

// A word may begin where no word goes on, and at a hump: TypeError, NullPointerException. Not
// inside a path, a flag or a name.
bool may_begin(std::string_view line, std::size_t at) {
  if (at == 0) return true;
  const char before = line[at - 1];
  if (is_alnum(before)) {
    const bool goes_on_lower = at + 1 < line.size() && !is_upper(line[at + 1]);
    return is_letter(before) && is_upper(line[at]) && (!is_upper(before) || goes_on_lower);
  }
  if (before == '_' || before == '/' || before == '\\') return false;
  if (before == '.') return is_upper(line[at]);
  return before != '-' || !is_in_flag(line, at);
}

// A word may end where no name and no path goes on: not in error_handler, error.cc, error/.
bool may_end(std::string_view line, std::size_t at) {
  if (at >= line.size()) return true;
  const char after = line[at];
  if (is_alnum(after) || after == '_' || after == '/') return false;
  const bool joins = after == '.' || after == '-';
  return !(joins && at + 1 < line.size() && is_alnum(line[at + 1]));
}

// Looks at the word before, across spaces: "no errors", "0 failed".
bool is_counted_as_none_before(std::string_view line, std::size_t at) {
  std::size_t end = at;
  while (end > 0 && (line[end - 1] == ' ' || line[end - 1] == '-')) --end;
  std::size_t start = end;
  while (start > 0 && is_alnum(line[start - 1])) --start;
  if (start > 0 && (line[start - 1] == '.' || line[start - 1] == ',')) return false;  // 1.0, 1,0
  const std::string_view before = line.substr(start, end - start);
  for (const std::string_view nothing : kNothing) {
    if (equals(before, nothing)) return true;
  }
  return false;
}

// Looks at the value after a colon or an equals sign: "errors: 0", "\"error\": null", "failures=0".
bool is_counted_as_none_after(std::string_view line, std::size_t at) {
  std::string_view rest = line.substr(at);
  if (!rest.empty() && (rest[0] == '"' || rest[0] == '\'')) rest.remove_prefix(1);
  while (!rest.empty() && rest[0] == ' ') rest.remove_prefix(1);
  if (rest.empty() || (rest[0] != ':' && rest[0] != '=')) return false;
  rest.remove_prefix(1);
  while (!rest.empty() && rest[0] == ' ') rest.remove_prefix(1);
  for (const std::string_view value : kEmptyValues) {
    if (rest.size() < value.size() || !equals(rest.substr(0, value.size()), value)) continue;
    rest.remove_prefix(value.size());
    if (rest.empty() || rest[0] == ',' || rest[0] == ';' || rest[0] == '}' || rest[0] == ')')
      return true;
    // "failed=0 skipped=3", but not "error: none of the targets matched".
    return rest[0] == ' ' && (value == "0" || rest.size() == 1 || !is_letter(rest[1]));
  }
  return false;
}

// pytest: "E       assert 1 == 2".
bool is_pytest_error(std::string_view line) {
  return line.size() > 2 && line[0] == 'E' && line[1] == ' ' &&
         (line[2] == ' ' || is_alnum(line[2]));
}

std::optional<LinePlace> find_error_word(std::string_view line) {
  for (std::size_t at = 0; at < line.size(); ++at) {
    WordSet words = kWordsAt[static_cast<unsigned char>(line[at])];
    if (words == 0 || !may_begin(line, at)) continue;
    for (; words != 0; words &= words - 1) {
      const Word& word = kWords[std::countr_zero(words)];
      if (!begins_with(line.substr(at), word)) continue;
      const std::size_t end = at + word.text.size();
      if (!may_end(line, end)) continue;
      const bool is_none = word.may_be_counted && (is_counted_as_none_before(line, at) ||
                                                   is_counted_as_none_after(line, end));
      if (!is_none) return LinePlace{at, word.text.size()};
      break;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<LinePlace> find_error(std::string_view line, const ErrorPatterns& patterns) {
  line = line.substr(0, kMaxCheckedLineBytes);
  if (const auto word = find_error_word(line)) return word;
  if (is_pytest_error(line) || patterns.find(line) != 0) return LinePlace{0, 1};
  return std::nullopt;
}

}  // namespace gibbous
