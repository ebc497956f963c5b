// Status line: "HTTP/1.1 200 OK"; RFC 9112 section 4. Like most clients, it accepts a missing
// reason and a bare '\n'.
#include "runtime/wait/http_status_parser.h"

#include <algorithm>

namespace gibbous {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// 0: not a status line.
int parse_status_line(std::string_view line) {
  constexpr std::string_view kVersion = "HTTP/1.";
  constexpr std::size_t kCodeAt = kVersion.size() + 2;  // a digit and a space
  constexpr std::size_t kCodeDigits = 3;
  if (line.size() < kCodeAt + kCodeDigits || line.substr(0, kVersion.size()) != kVersion ||
      !is_digit(line[kVersion.size()]) || line[kVersion.size() + 1] != ' ') {
    return 0;
  }
  const std::string_view code = line.substr(kCodeAt, kCodeDigits);
  if (!std::all_of(code.begin(), code.end(), is_digit) || code.front() == '0') return 0;
  const std::string_view after = line.substr(kCodeAt + kCodeDigits);
  if (!after.empty() && after.front() != ' ') return 0;
  return (code[0] - '0') * 100 + (code[1] - '0') * 10 + (code[2] - '0');
}

}  // namespace

HttpStatusParser::State HttpStatusParser::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t newline = bytes.find('\n');
    const std::string_view part = bytes.substr(0, newline);
    total_ += part.size() + (newline == std::string_view::npos ? 0 : 1);
    if (total_ > kMaxHttpHeadBytes) return State::kWrong;
    line_ += part;
    if (newline == std::string_view::npos) break;
    bytes.remove_prefix(newline + 1);
    if (!line_.empty() && line_.back() == '\r') line_.pop_back();
    const State state = take_line();
    if (state != State::kMore) return state;
    line_.clear();
  }
  return State::kMore;
}

HttpStatusParser::State HttpStatusParser::take_line() {
  constexpr int kFirstFinal = 200;
  if (in_interim_) {
    in_interim_ = !line_.empty();
    return State::kMore;
  }
  status_ = parse_status_line(line_);
  if (status_ == 0) return State::kWrong;
  if (status_ >= kFirstFinal) return State::kStatus;
  in_interim_ = true;
  return State::kMore;
}

}  // namespace gibbous
