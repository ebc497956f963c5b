#include "runtime/command/history.h"

namespace gibbous::command {
namespace {

// Whether a quote that a line leaves open holds in the next one depends on the version of bash.
bool refers(std::string_view lines, std::size_t from, bool has_quotes, bool quotes_go_on) {
  constexpr std::string_view kAlone = " \t\r\n=";  // `!` in front of these is a character
  char quote = '\0';
  for (std::size_t at = 0; at < lines.size(); ++at) {
    const char byte = lines[at];
    const char next = at + 1 < lines.size() ? lines[at + 1] : '\n';
    const bool counts = at >= from;
    if (byte == '\n' && !quotes_go_on) quote = '\0';
    if (byte == '^' && (at == 0 || lines[at - 1] == '\n') && counts) return true;
    if (byte == '\\' && quote != '\'') {
      at += next == '\n' ? 0 : 1;
    } else if (has_quotes && (byte == '\'' || byte == '"') && (quote == '\0' || quote == byte)) {
      quote = quote == '\0' ? byte : '\0';
    } else if (byte == '!' && counts && quote != '\'' && !(quote == '"' && next == '"') &&
               kAlone.find(next) == std::string_view::npos) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool may_refer_to_history(std::string_view lines, std::size_t from, Dialects dialects) {
  const bool has_quotes = dialects == bit_of(Dialect::kBash);
  return refers(lines, from, has_quotes, true) || refers(lines, from, has_quotes, false);
}

}  // namespace gibbous::command
