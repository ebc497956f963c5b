#include "runtime/command/history.h"

#include <algorithm>
#include <utility>

#include "runtime/command/parse.h"
#include "runtime/command/past.h"

namespace gibbous::command {
namespace {

// --- fc -----------------------------------------------------------------------------------------

// The one simple command of a line, or null.
const Node* sole_command(const Node& node) {
  if (node.kind == Node::Kind::kSimple) return node.negated || node.timed ? nullptr : &node;
  const bool groups = node.kind == Node::Kind::kList || node.kind == Node::Kind::kPipeline;
  if (!groups || node.children.size() != 1 || node.negated || node.timed) return nullptr;
  const bool background =
      !node.operators.empty() && node.operators.front() == Node::Operator::kBackground;
  return background ? nullptr : sole_command(*node.children.front());
}

// The words of a line that is one simple command of literal words; else empty.
std::vector<std::string> literal_command(std::string_view line) {
  const Parsed parsed = parse(line);
  const Node* command = parsed.error.message.empty() ? sole_command(parsed.root) : nullptr;
  if (command == nullptr || !command->assignments.empty() || !command->redirections.empty())
    return {};
  std::vector<std::string> words;
  for (const Word& word : command->words) {
    std::string text;
    for (const Part& part : word.parts) {
      if (part.kind != Part::Kind::kText) return {};
      text += part.text;
    }
    words.push_back(std::move(text));
  }
  return words;
}

bool substitute_all(std::string* text, const std::string& from, const std::string& to) {
  std::size_t found = text->find(from);
  if (from.empty() || found == std::string::npos) return !from.empty();
  std::string made;
  std::size_t at = 0;
  while (found != std::string::npos && made.size() <= kMaxExpandedBytes) {
    made.append(*text, at, found - at).append(to);
    at = found + from.size();
    found = text->find(from, at);
  }
  *text = made.append(*text, at);
  return text->size() <= kMaxExpandedBytes;
}

std::optional<std::string> fc_event(const std::string& word, const Past& past) {
  if (word.empty()) return past.back(1);
  const std::size_t sign = word[0] == '-' ? 1 : 0;
  const std::string digits = word.substr(sign);
  if (digits.find_first_not_of("0123456789") != std::string::npos)
    return sign == 1 ? std::nullopt : past.starting(word);
  constexpr std::size_t kMaxDigits = 4;
  if (sign == 0 || digits.empty() || digits.size() > kMaxDigits) return std::nullopt;
  const auto count = static_cast<std::size_t>(std::stoul(digits));
  return count == 0 ? std::nullopt : past.back(count);
}

// --- Other shells -------------------------------------------------------------------------------

// Returns true if the word `r`, with which zsh and ksh run a line again, is in the line.
bool has_r(std::string_view line) {
  constexpr std::string_view kAround = " \t;&|()<>{}\"'`\\$";
  const auto ends = [&](std::size_t at) {
    return at >= line.size() || kAround.find(line[at]) != std::string_view::npos;
  };
  for (std::size_t at = line.find('r'); at != std::string_view::npos; at = line.find('r', at + 1)) {
    if ((at == 0 || ends(at - 1)) && ends(at + 1)) return true;
  }
  return false;
}

// Returns true if a part of the line may stand for another line in some shell.
bool may_refer(std::string_view line) {
  if (line.starts_with('^') || has_r(line)) return true;
  constexpr std::string_view kLiteralNext = " \t=(";
  for (std::size_t at = line.find('!'); at != std::string_view::npos; at = line.find('!', at + 1)) {
    const char next = at + 1 < line.size() ? line[at + 1] : ' ';
    std::size_t escapes = 0;
    while (escapes < at && line[at - escapes - 1] == '\\') ++escapes;
    if (kLiteralNext.find(next) == std::string_view::npos && escapes % 2 == 0) return true;
  }
  return false;
}

// --- Lines --------------------------------------------------------------------------------------

template <typename Take>
void each_line(std::string_view text, Take take) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    take(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
}

bool has_keys(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](unsigned char byte) { return byte < ' ' && byte != '\n'; });
}

// Expands the new lines, and appends them to `made`. Returns false when they are not known.
bool run_lines(std::string_view lines, Past* past, std::string* made) {
  Substitution last;
  bool known = true;
  each_line(lines, [&](std::string_view line) {
    Expanded expanded{Expanded::How::kSame, std::string(line), true};
    if (past->expands()) expanded = expand_line(line, *past, &last);
    if (expanded.how == Expanded::How::kSame || expanded.how == Expanded::How::kRuns) {
      const Expanded again = expand_fc(expanded.line, *past);
      if (again.how != Expanded::How::kSame) expanded = again;
    }
    known = known && expanded.how != Expanded::How::kUnknown && !past->other_characters() &&
            made->size() <= kMaxExpandedBytes;
    if (!known) return;
    if (expanded.how == Expanded::How::kPrints) {
      made->append(printed_mark(expanded.line)) += '\n';
      past->add_printed(std::move(expanded.line));
    } else {
      made->append(expanded.line) += '\n';
      past->add(std::move(expanded.line), expanded.certain);
    }
  });
  return known;
}

// Most lines refer to nothing, which is quickly seen.
bool needs_past(std::string_view before, std::string_view lines) {
  constexpr std::string_view kOtherCharacters = "hist";
  return lines.find_first_of("!^") != std::string_view::npos ||
         lines.find("fc") != std::string_view::npos ||
         lines.find(kOtherCharacters) != std::string_view::npos ||
         before.find(kOtherCharacters) != std::string_view::npos;
}

}  // namespace

Expanded expand_fc(std::string_view line, const Past& past) {
  if (line.find("fc") == std::string_view::npos) return {};
  const std::vector<std::string> words = literal_command(line);
  if (words.empty() || words[0] != "fc") return {};
  std::size_t at = 1;
  bool runs = false;
  for (; at < words.size() && !runs; ++at) {
    if (words[at] == "-e" && at + 1 < words.size() && words[at + 1] == "-") ++at;
    runs = words[at] == "-s" || words[at] == "-";
    if (!runs) return {};  // lists or edits: the analyser knows
  }
  if (!runs) return {};
  const Expanded unknown{Expanded::How::kUnknown, {}, true};
  std::vector<std::pair<std::string, std::string>> changes;
  for (; at < words.size(); ++at) {
    const std::size_t equals = words[at].find('=');
    if (equals == std::string::npos) break;
    changes.emplace_back(words[at].substr(0, equals), words[at].substr(equals + 1));
  }
  const bool blank = line.front() == ' ' || line.front() == '\t';  // may not be in the history
  if (blank || words.size() > at + 1 || (at < words.size() && words[at].empty())) return unknown;
  auto event = fc_event(at < words.size() ? words[at] : "", past);
  if (!event) return unknown;
  for (const auto& [from, to] : changes) {
    if (!substitute_all(&*event, from, to)) return unknown;
  }
  return {Expanded::How::kRuns, std::move(*event), true};
}

TypedLines expand_history(std::string_view before, std::string_view text, const HistorySpec& spec,
                          bool interrupted) {
  TypedLines typed;
  typed.text = std::string(before) + std::string(text);
  if (spec.kind == HistorySpec::Kind::kNone) return typed;
  const std::size_t done = before.rfind('\n') + 1;  // 0 when there is none
  const std::size_t end = typed.text.rfind('\n') + 1;
  const std::string_view current = std::string_view(typed.text).substr(done, end - done);
  if (has_keys(text)) {
    typed.known = false;
    return typed;
  }
  if (spec.kind == HistorySpec::Kind::kUnknown) {
    each_line(current, [&](std::string_view line) {
      if (may_refer(line)) typed.known = false;
    });
    return typed;
  }
  std::string made;
  if (!needs_past(before, current)) {
    made = current;
  } else {
    Past past(spec);
    each_line(before.substr(0, done), [&](std::string_view line) { past.take(line); });
    if (interrupted) past.lose();
    typed.known = run_lines(current, &past, &made);
  }
  if (!typed.known) return typed;
  if (interrupted) made += kLostMark;
  typed.text = typed.text.substr(0, done) + made + typed.text.substr(end);
  return typed;
}

}  // namespace gibbous::command
