// The text of a record, one value or group of values a line, and its parser.
#include "runtime/keeper/end_record.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <csignal>
#include <limits>
#include <utility>

namespace gibbous {
namespace {

// The format and its version; the first one lacks the last line.
constexpr std::string_view kFirstLine = "gibbous-end 2\n";
constexpr std::string_view kOlderFirstLine = "gibbous-end 1\n";
constexpr std::array<std::string_view, 4> kCauses = {"itself", "kill", "limit", "host_end"};
constexpr std::uint64_t kMaxPid = std::numeric_limits<pid_t>::max();
constexpr std::uint64_t kMaxCode = 255;
constexpr std::uint64_t kMaxTime = std::uint64_t{1} << 52;  // short enough for arithmetic
constexpr std::uint64_t kMaxOffset = std::uint64_t{1} << 62;
constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();

class Text {
 public:
  Text& line(std::string_view name) {
    if (!text_.empty()) text_ += '\n';
    text_ += name;
    return *this;
  }
  Text& word(std::string_view word) {
    text_ += ' ';
    text_ += word;
    return *this;
  }
  template <typename T>
  Text& number(T value) {
    return word(std::to_string(value));
  }
  Text& process(std::string_view name, const ProcessIdentity& process) {
    return line(name).number(process.pid).number(process.start_time);
  }
  std::string take() { return std::move(text_) + '\n'; }

 private:
  std::string text_;
};

// Reads what Text writes; after the first mismatch, everything fails.
class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  Parser& line(std::string_view name) {
    if (!first_) skip("\n");
    first_ = false;
    line_ = good_ ? name : line_;
    skip(name);
    return *this;
  }
  std::string_view word() {
    skip(" ");
    const std::string_view word = rest_.substr(0, rest_.find_first_of(" \n"));
    good_ = good_ && !word.empty();
    if (!good_) return {};
    rest_.remove_prefix(word.size());
    return word;
  }
  // A number without sign or leading zeros, at most `most`.
  std::uint64_t number(std::uint64_t most) {
    const std::string_view digits = word();
    std::uint64_t value = 0;
    const char* const end = digits.data() + digits.size();
    const auto parsed = std::from_chars(digits.data(), end, value);
    const bool zeros = digits.size() > 1 && digits.front() == '0';
    good_ = good_ && parsed.ec == std::errc() && parsed.ptr == end && !zeros && value <= most;
    return good_ ? value : 0;
  }
  template <typename T>
  void number(T* value, std::uint64_t most) {
    *value = static_cast<T>(number(most));
  }
  template <std::size_t kCount>
  std::size_t one_of(const std::array<std::string_view, kCount>& words) {
    const auto found = std::find(words.begin(), words.end(), word());
    good_ = good_ && found != words.end();
    return good_ ? static_cast<std::size_t>(found - words.begin()) : 0;
  }
  ProcessIdentity process(std::string_view name) {
    line(name);
    ProcessIdentity process;
    number(&process.pid, kMaxPid);
    number(&process.start_time, kAny);
    return process;
  }
  bool done() {
    skip("\n");
    return good_ && rest_.empty();
  }
  bool good() const { return good_; }
  // Returns the line that was being read when it failed, or that was read last.
  std::string line_name() const { return std::string(line_); }

 private:
  void skip(std::string_view expected) {
    good_ = good_ && rest_.starts_with(expected);
    if (good_) rest_.remove_prefix(expected.size());
  }

  std::string_view rest_;
  std::string_view line_;
  bool first_ = true;
  bool good_ = true;
};

std::array<std::string_view, static_cast<std::size_t>(LimitKind::kCopies) + 2> limit_words() {
  std::array<std::string_view, static_cast<std::size_t>(LimitKind::kCopies) + 2> words{"none"};
  for (std::size_t i = 1; i < words.size(); ++i)
    words[i] = to_string(static_cast<LimitKind>(i - 1));
  return words;
}

void put_exit(Text& text, const EndRecord& record) {
  const ExitStatus& exit = record.exit;
  text.line("exit").number(exit.code).number(exit.signal).number(exit.core ? 1 : 0);
  text.line("usage").number(exit.user.count()).number(exit.system.count());
  text.number(exit.max_rss_kib);
  text.line("kill").number(record.kill_signal);
  text.line("limit");
  if (!record.limit) {
    text.word("none");
  } else {
    text.word(to_string(record.limit->kind)).number(record.limit->limit).number(record.limit->used);
  }
}

void read_exit(Parser& parser, EndRecord& record) {
  ExitStatus& exit = record.exit;
  parser.line("exit").number(&exit.code, kMaxCode);
  parser.number(&exit.signal, NSIG - 1);
  parser.number(&exit.core, 1);
  parser.line("usage");
  exit.user = std::chrono::microseconds(parser.number(kMaxTime));
  exit.system = std::chrono::microseconds(parser.number(kMaxTime));
  exit.max_rss_kib = parser.number(kAny);
  parser.line("kill").number(&record.kill_signal, NSIG - 1);
  const std::size_t kind = parser.line("limit").one_of(limit_words());
  if (kind == 0) return;
  record.limit = {static_cast<LimitKind>(kind - 1), 0, 0};
  parser.number(&record.limit->limit, kAny);
  parser.number(&record.limit->used, kAny);
}

Status unusable(const std::string& why) {
  return Status::error("end_record_unusable", why);
}

}  // namespace

bool can_have_end_record(std::string_view run_id) {
  return !run_id.empty() && run_id.size() <= kMaxRecordedIdBytes &&
         std::all_of(run_id.begin(), run_id.end(), [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
         });
}

std::string to_text(const EndRecord& record) {
  Text text;
  text.line("run").word(record.run_id);
  text.process("host", record.host).process("keeper", record.keeper);
  text.process("leader", record.leader);
  text.line("cause").word(kCauses[static_cast<std::size_t>(record.cause)]);
  text.line("after_host").number(record.after_host ? 1 : 0);
  put_exit(text, record);
  text.line("time").number(record.started_at).number(record.ended_at);
  text.line("dropped").number(record.dropped_bytes);
  text.line("detached").number(record.detached ? 1 : 0);
  text.number(record.exit.out_end).number(record.exit.err_end);
  return std::string(kFirstLine) + text.take();
}

Result<EndRecord> parse_end_record(std::string_view text) {
  if (text.size() > kMaxEndRecordBytes) return unusable("it is too large");
  const bool is_older = text.starts_with(kOlderFirstLine);
  if (!is_older && !text.starts_with(kFirstLine)) {
    return unusable("it has another format or version");
  }
  Parser parser(text.substr(kFirstLine.size()));
  EndRecord record;
  record.run_id = parser.line("run").word();
  record.host = parser.process("host");
  record.keeper = parser.process("keeper");
  record.leader = parser.process("leader");
  record.cause = static_cast<EndCause>(parser.line("cause").one_of(kCauses));
  parser.line("after_host").number(&record.after_host, 1);
  read_exit(parser, record);
  parser.line("time").number(&record.started_at, kMaxTime);
  parser.number(&record.ended_at, kMaxTime);
  parser.line("dropped").number(&record.dropped_bytes, kAny);
  record.ends_known = !is_older;
  if (!is_older) {
    parser.line("detached").number(&record.detached, 1);
    parser.number(&record.exit.out_end, kMaxOffset);
    parser.number(&record.exit.err_end, kMaxOffset);
  }
  if (!parser.done() || !can_have_end_record(record.run_id)) {
    return unusable("its line \"" + parser.line_name() + "\" cannot be read");
  }
  return record;
}

}  // namespace gibbous
