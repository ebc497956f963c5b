// parse(): the checks before and after the parser.
#include "runtime/command/parse.h"

#include <algorithm>
#include <limits>
#include <new>
#include <stdexcept>

#include "runtime/command/parser.h"

namespace gibbous::command {
namespace {

constexpr std::size_t kMostBytes = std::numeric_limits<std::uint32_t>::max() / 2;

}  // namespace

Parsed parse(std::string_view text, const ParseLimits& limits, Dialect dialect) {
  Parsed parsed;
  ParseState state;
  state.limits = limits;
  state.dialect = dialect;
  std::size_t size = text.size();
  const std::size_t most = std::min(limits.bytes, kMostBytes);
  if (size > most) {
    // The word at the cut is skipped: half a path may be another path.
    const std::size_t newline = most > 0 ? text.rfind('\n', most - 1) : std::string_view::npos;
    size = newline == std::string_view::npos ? 0 : newline;
    state.error.message = "the text is too long";
    state.error.over_limit = true;
  } else if (text.find('\0') != std::string_view::npos) {
    state.error.message = "there is a NUL in the text";
  }
  try {
    Source source{text.substr(0, size), false, {}};
    Parser(state, source, 0, size).parse_all(parsed.root);
  } catch (const std::bad_alloc&) {
    if (state.error.message.empty()) state.error.message = "there is not enough memory";
    state.error.over_limit = true;
  } catch (const std::length_error&) {
    if (state.error.message.empty()) state.error.message = "there is not enough memory";
    state.error.over_limit = true;
  }
  parsed.error = std::move(state.error);
  return parsed;
}

}  // namespace gibbous::command
