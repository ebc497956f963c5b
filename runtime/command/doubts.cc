// What cannot be known of a simple command before it runs: its program, variables that make
// programs run others, and which of that speaks of harm.
#include <re2/re2.h>

#include <algorithm>
#include <map>
#include <utility>

#include "runtime/command/analyser.h"

namespace gibbous::command {
namespace {

constexpr std::size_t kMaxDoubtDetail = 120;

}  // namespace

void Analyser::check_name(const SimpleCommand& command, int index) {
  const Value& word = command.program_word;
  if (!word.literal()) {
    const auto decoded = [](const Value::Hole& hole) { return hole.decoded; };
    const bool decodes = std::any_of(word.holes.begin(), word.holes.end(), decoded);
    doubt(decodes ? Doubt::kDecodedCode : Doubt::kUnknownProgram, word.range, word.text, index);
    return;
  }
  if (word.text.empty() || !all_ascii(word.text))
    doubt(Doubt::kEncoding, word.range, word.text, index);
}

const VariableSpec* Analyser::executing(const NamedValue& assignment) const {
  for (const VariableSpec& spec : knowledge_.variables) {
    // Most begin otherwise.
    const char first = spec.name.empty() ? '*' : spec.name[0];
    const bool plain = first != '*' && first != '?' && first != '[';
    if (plain && !assignment.name.starts_with(first)) continue;
    if (!component_match(spec.name, assignment.name)) continue;
    // The value is checked as written ("$PATH:./bin"); command output is never safe.
    const std::string& text = assignment.value.text;
    const bool computed =
        text.find("$(") != std::string::npos || text.find('`') != std::string::npos;
    const bool safe = !computed && spec.safe != nullptr && is_safe(spec, text);
    return safe ? nullptr : &spec;
  }
  return nullptr;
}

// read PATH, printf -v PATH and for PATH in give an unknown value to a variable that makes programs
// run something.
void Analyser::doubt_name(const Value& word) {
  std::string name = word.text.rfind("-v", 0) == 0 ? word.text.substr(2) : word.text;
  name = name.substr(0, name.find('['));  // an element of BASH_CMDS is a program, too
  if (!is_name(name)) return;
  NamedValue made;
  made.name = name;
  made.value = hole_value("$(...)");
  if (executing(made) != nullptr) doubt(Doubt::kExecutingVariable, word.range, name);
}

// Arithmetic may assign to any name in it.
void Analyser::doubt_names_in(const Value& text) {
  std::size_t at = 0;
  while (at < text.text.size()) {
    std::size_t end = at;
    while (end < text.text.size() &&
           (std::isalnum(static_cast<unsigned char>(text.text[end])) != 0 || text.text[end] == '_'))
      ++end;
    Value name;
    name.text = text.text.substr(at, end - at);
    name.range = text.range;
    doubt_name(name);
    at = end + 1;
  }
}

// ${PAGER:=./x} assigns as PAGER=./x does.
void Analyser::doubt_default(const Part& part) {
  NamedValue made;
  made.name = part.text;
  for (const Part& piece : part.operand)
    made.value.text += piece.kind == Part::Kind::kText ? piece.text : slice(piece.range);
  if (executing(made) != nullptr) doubt(Doubt::kExecutingVariable, part.range, slice(part.range));
}

// The value of a variable that makes programs run something is code, and comes before its command.
void Analyser::check_assignments(const SimpleCommand& command) {
  std::vector<const NamedValue*> found;
  for (const NamedValue& each : command.assignments) {
    const VariableSpec* spec = executing(each);
    if (spec == nullptr) continue;
    found.push_back(&each);
    if (!spec->shell || each.value.text.empty()) continue;
    SimpleCommand base;
    base.privileged = command.privileged;
    base.remote = command.remote;
    shell_code(each.value, base, each.name, {}, sh_dialects() | bit_of(dialect_));
  }
  for (const NamedValue* each : found) {
    doubt(Doubt::kExecutingVariable, each->value.range, each->name + "=" + each->value.text,
          static_cast<int>(facts_.commands.size()));
  }
}

void Analyser::doubt(Doubt kind, Range range, std::string detail, int command) {
  if (facts_.doubts.size() >= limits_.commands || done_) return;
  const bool unheld = speaks_of_harm(detail);
  if (detail.size() > kMaxDoubtDetail) detail = detail.substr(0, kMaxDoubtDetail - 3) + "...";
  facts_.doubts.push_back({kind, command, source_, range, std::move(detail), unheld});
}

bool Analyser::speaks_of_harm(const std::string& text) const {
  const re2::RE2* pattern = knowledge_.unheld ? knowledge_.unheld->get() : nullptr;
  return pattern == nullptr || re2::RE2::PartialMatch(text, *pattern);
}

// A doubtful program may do to its arguments what their words say, and a shell what it is fed.
void Analyser::find_unheld() {
  std::map<std::pair<int, bool>, bool> commands;
  std::map<int, bool> sources;
  std::size_t left = limits_.code_bytes;
  for (DoubtFact& each : facts_.doubts) {
    const bool whole = each.doubt == Doubt::kPipedCode || each.doubt == Doubt::kUnparsed ||
                       each.doubt == Doubt::kOverLimit;
    if (each.unheld || (!whole && each.command < 0)) continue;
    // Without a program of its own, "env" prints what it has.
    const bool by_itself = each.doubt == Doubt::kUnknownProgram;
    bool is_new = false;
    bool* found = nullptr;
    if (whole) {
      const auto made = sources.emplace(each.source, true);
      found = &made.first->second;
      is_new = made.second;
    } else {
      const auto made = commands.emplace(std::make_pair(each.command, by_itself), true);
      found = &made.first->second;
      is_new = made.second;
    }
    if (is_new) {
      std::string text;
      if (whole) {
        text = facts_.sources[static_cast<std::size_t>(each.source)];
      } else if (static_cast<std::size_t>(each.command) < facts_.commands.size()) {
        const SimpleCommand& command = facts_.commands[static_cast<std::size_t>(each.command)];
        for (std::size_t at = 0; by_itself && at < command.wrappers.size(); ++at)
          text += command.wrappers[at] + " ";
        for (const Value& word : command.argv) text += word.text + " ";
      }
      *found = text.size() > left || speaks_of_harm(text);
      left -= std::min(left, text.size());
    }
    each.unheld = *found;
  }
}

}  // namespace gibbous::command
