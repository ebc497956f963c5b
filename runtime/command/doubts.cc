// What cannot be known of a simple command before it runs: its program, code in other languages,
// and which of that speaks of harm.
#include <re2/re2.h>

#include <algorithm>
#include <utility>

#include "runtime/command/analyser.h"

namespace gibbous::command {
namespace {

constexpr std::size_t kMaxDoubtDetail = 120;
constexpr std::size_t kMaxQuoted = 64;

// Words in quotes that may be paths.
std::vector<Value> quoted_in(const Value& code, const std::string& home) {
  std::vector<Value> all;
  const std::string& text = code.text;
  std::size_t at = text.find_first_of("'\"`");
  while (at < text.size() && all.size() < kMaxQuoted) {
    const std::size_t end = text.find(text[at], at + 1);
    if (end == std::string::npos) break;
    const std::string word = text.substr(at + 1, end - at - 1);
    // Otherwise the first quote may be an apostrophe.
    const bool one = word.find_first_of(" \t\n\\;") == std::string::npos && !word.empty();
    if (one && word.find_first_of("/.~") != std::string::npos) {
      all.emplace_back();
      all.back().text = word.rfind("~/", 0) == 0 ? home + word.substr(1) : word;
    }
    at = text.find_first_of("'\"`", one ? end + 1 : at + 1);
  }
  return all;
}

}  // namespace

void Analyser::check_name(const SimpleCommand& command, int index) {
  const Value& word = command.program_word;
  if (!word.literal()) {
    const auto decoded = [](const Value::Hole& hole) { return hole.decoded; };
    const bool decodes = std::any_of(word.holes.begin(), word.holes.end(), decoded);
    doubt(decodes ? Doubt::kDecodedCode : Doubt::kUnknownProgram, word.text, index);
    return;
  }
  if (word.text.empty() || !all_ascii(word.text)) doubt(Doubt::kEncoding, word.text, index);
}

void Analyser::doubt(Doubt kind, std::string detail, int command) {
  if (facts_.doubts.size() >= limits_.commands || done_) return;
  const bool unheld = speaks_of_harm(detail);
  if (detail.size() > kMaxDoubtDetail) detail = detail.substr(0, kMaxDoubtDetail - 3) + "...";
  facts_.doubts.push_back({kind, command, source_, std::move(detail), unheld});
}

void Analyser::doubt_next(Doubt kind, std::string detail) {
  doubt(kind, std::move(detail), static_cast<int>(facts_.commands.size()));
}

bool Analyser::speaks_of_harm(const std::string& text) const {
  return knowledge_.unheld == nullptr || re2::RE2::PartialMatch(text, *knowledge_.unheld);
}

// Whether code may do more than read and write files of the workspace.
bool Analyser::may_reach(const Value& code) const {
  return knowledge_.reaching == nullptr || code.has_unknown() || speaks_of_harm(code.text) ||
         re2::RE2::PartialMatch(code.text, *knowledge_.reaching);
}

// Code in another language is not read: what counts is what it speaks of, and paths in quotes,
// which it may read or, where it speaks of removing trees, remove.
void Analyser::other_code(const Value& text, const std::string& language, SimpleCommand* command) {
  if (text.text.empty() || !spend(text.text.size() * 2)) return;
  if (may_reach(text)) {
    doubt_next(Doubt::kInlineCode, language + ": " + text.text);
  }
  const bool removes =
      knowledge_.removing != nullptr && re2::RE2::PartialMatch(text.text, *knowledge_.removing);
  for (Value& path : quoted_in(text, place_.home)) {
    add_access(removes ? AccessKind::kRemove : AccessKind::kRead, removes, path, -1, false,
               scope_.cwd(), &command->accesses);
  }
}

// A doubtful program may do to its arguments what their words say, and a shell what it is fed.
void Analyser::find_unheld() {
  std::size_t left = limits_.code_bytes;
  int judged = -1;  // the source that was judged last, as a whole
  bool harms = false;
  for (DoubtFact& each : facts_.doubts) {
    const bool whole = each.doubt == Doubt::kPipedCode || each.doubt == Doubt::kUnparsed ||
                       each.doubt == Doubt::kOverLimit;
    if (each.unheld || (!whole && each.command < 0)) continue;
    std::string text;
    if (whole && each.source != judged) {
      text = facts_.sources[static_cast<std::size_t>(each.source)];
    } else if (!whole && static_cast<std::size_t>(each.command) < facts_.commands.size()) {
      const SimpleCommand& command = facts_.commands[static_cast<std::size_t>(each.command)];
      // Without a program of its own, "env" prints what it has.
      if (each.doubt == Doubt::kUnknownProgram) {
        for (const std::string& wrapper : command.wrappers) text += wrapper + " ";
      }
      for (const Value& word : command.argv) text += word.text + " ";
    }
    const bool found = text.size() > left || speaks_of_harm(text);
    left -= std::min(left, text.size());
    each.unheld = whole && each.source == judged ? harms : found;
    if (!whole) continue;
    judged = each.source;
    harms = each.unheld;
  }
}

}  // namespace gibbous::command
