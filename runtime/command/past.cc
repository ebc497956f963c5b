#include "runtime/command/past.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <unordered_set>
#include <utility>

#include "runtime/command/parse.h"

namespace gibbous::command {
namespace {

constexpr std::string_view kMark = "#\1";
constexpr std::string_view kPrintedMark = "#\1p";
constexpr std::size_t kMaxLookedAtBytes = std::size_t{4} << 20;  // of events, for one text
constexpr std::size_t kEventCost = 16;                           // of one that is looked at

bool mentions(std::string_view line, std::string_view lower) {
  const auto found = std::search(
      line.begin(), line.end(), lower.begin(), lower.end(),
      [](unsigned char left, unsigned char right) { return std::tolower(left) == right; });
  return found != line.end();
}

bool holds_control(std::string_view line) {
  return std::any_of(line.begin(), line.end(), [](unsigned char byte) { return byte < ' '; });
}

bool is_plain_word(const std::vector<Part>& parts) {
  return std::all_of(parts.begin(), parts.end(), [](const Part& part) {
    if (part.kind == Part::Kind::kParameter)
      return part.op.empty() && !part.subscripted && part.operand.empty();
    return part.kind != Part::Kind::kCommand && part.kind != Part::Kind::kProcess &&
           part.kind != Part::Kind::kArithmetic;
  });
}

// "" when it is not literal.
std::string literal_of(const Word& word) {
  std::string text;
  for (const Part& part : word.parts) {
    if (part.kind != Part::Kind::kText) return "";
    text += part.text;
  }
  return text;
}

// Returns true for a simple command that reads nothing and changes nothing about the history.
bool leaves_input(const Node& node, const std::vector<std::string>& programs) {
  if (node.kind == Node::Kind::kList || node.kind == Node::Kind::kPipeline) {
    return std::all_of(node.children.begin(), node.children.end(),
                       [&](const auto& child) { return leaves_input(*child, programs); });
  }
  if (node.kind != Node::Kind::kSimple || node.words.empty() || !node.assignments.empty())
    return false;
  for (const Redirection& redirection : node.redirections) {
    if (redirection.op == Redirection::Op::kHere || !is_plain_word(redirection.target.parts))
      return false;
  }
  for (const Word& word : node.words) {
    if (!is_plain_word(word.parts)) return false;
  }
  const std::string program = literal_of(node.words.front());
  return std::find(programs.begin(), programs.end(), program) != programs.end();
}

// Returns true if the shell takes the next line, with the same history.
bool leaves_input(const std::string& line, const std::vector<std::string>& programs) {
  if (line.ends_with('\\')) return false;  // the command goes on
  const Parsed parsed = parse(line);
  return parsed.error.message.empty() && leaves_input(parsed.root, programs);
}

}  // namespace

std::string printed_mark(std::string_view line) {
  return std::string(kPrintedMark) + std::string(line);
}

std::string without_marks(std::string_view kept) {
  std::string rest;
  while (!kept.empty()) {
    const std::size_t size = std::min(kept.find('\n'), kept.size() - 1) + 1;
    if (!kept.starts_with(kMark)) rest += kept.substr(0, size);
    kept.remove_prefix(size);
  }
  return rest;
}

void Past::take(std::string_view kept) {
  if (kept.starts_with(kPrintedMark))
    return add_printed(std::string(kept.substr(kPrintedMark.size())));
  const bool unknown = kept.starts_with(kMark) || kept.starts_with(kUnknownBeginning) ||
                       kept == kUnknownLines.substr(0, kUnknownLines.size() - 1);
  if (unknown) return lose();
  add(std::string(kept));
}

void Past::add_printed(std::string line) {
  if (known_ && !line.empty()) events_.push_back({std::move(line), true});
}

void Past::add(std::string line, bool certain) {
  if (mentions(line, "histchars")) other_characters_ = true;
  if (!known_ || line.empty()) return;
  if (line == "set +H" || line == "set +o histexpand") {
    expands_ = false;
  } else if (holds_control(line) || mentions(line, "hist") ||
             !leaves_input(line, spec_.leave_input)) {
    known_ = false;  // another program may read the next line, or the shell forgets this one
  }
  events_.push_back({std::move(line), certain});
}

bool Past::spend(std::size_t bytes) const {
  spent_ += bytes + kEventCost;
  return spent_ <= kMaxLookedAtBytes;
}

// A line that begins with a blank may be in the history or not.
bool Past::may_be_missing(const Event& event) {
  return !event.certain || event.line.front() == ' ' || event.line.front() == '\t';
}

std::optional<std::string> Past::back(std::size_t count) const {
  if (!known_) return std::nullopt;
  std::unordered_set<std::string_view> later;
  for (std::size_t at = events_.size(); at-- > 0;) {
    const Event& event = events_[at];
    if (!spend(event.line.size()) || may_be_missing(event)) return std::nullopt;
    // The repeated line may be there once or twice.
    if (!later.insert(event.line).second) return std::nullopt;
    if (--count == 0) return event.line;
    if (at > 0 && events_[at - 1].line == event.line) return std::nullopt;
  }
  return std::nullopt;
}

template <typename Match>
std::optional<std::string> Past::last(Match match) const {
  if (!known_) return std::nullopt;
  for (std::size_t at = events_.size(); at-- > 0;) {
    const Event& event = events_[at];
    if (!spend(event.line.size())) return std::nullopt;
    if (!match(event.line)) continue;
    if (may_be_missing(event)) return std::nullopt;
    return event.line;
  }
  return std::nullopt;
}

std::optional<std::string> Past::starting(std::string_view text) const {
  return last([text](const std::string& line) { return line.starts_with(text); });
}

std::optional<std::string> Past::containing(std::string_view text) const {
  return last([text](const std::string& line) { return line.find(text) != std::string::npos; });
}

}  // namespace gibbous::command
