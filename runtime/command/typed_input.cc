// Text that is typed into a running program: the commands that it takes (`!ls` in a pager, `\\! ls`
// in a database client) and, for an interpreter, code that is judged as the code of its -c is.
#include <algorithm>
#include <utility>

#include "runtime/command/analyser.h"

namespace gibbous::command {
namespace {

constexpr std::string_view kLineBlanks = " \t\r";

// The lines of `text`; without an end of the last one, it is unfinished.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

struct TakenCommand {
  std::string_view text;  // "": there is none
  bool first = false;     // the line begins with it
};

// `!ls`, `:r !ls`, `10G!ls`, `\\! ls`, `\\g | ls`, `.shell ls`, `system('ls')`; not `a != b`, `x ||
// y` and `Hello! Hi`.
TakenCommand command_in(std::string_view line) {
  constexpr std::string_view kMarks = ":\\.!|";
  const std::size_t begin = line.find_first_not_of(kLineBlanks);
  if (begin == std::string_view::npos) return {};
  const bool first = kMarks.find(line[begin]) != std::string_view::npos;
  const std::size_t name = std::min(line.find_first_not_of(":\\.", begin), line.size());
  for (const std::string_view word : {"shell ", "terminal ", "system "}) {
    if (line.substr(name).starts_with(word)) return {line.substr(name + word.size()), true};
  }
  constexpr std::string_view kCall = "system(";
  if (const std::size_t at = line.find(kCall); at != std::string_view::npos) {
    return {line.substr(at + kCall.size()), first};
  }
  for (std::size_t at = begin; at + 1 < line.size(); ++at) {
    const char next = line[at + 1];
    const bool behind = line.substr(0, at).find('\\') != std::string_view::npos;
    const bool close = kLineBlanks.find(next) == std::string_view::npos;
    const bool bang = line[at] == '!' && next != '=' && next != '~' && (close || first || behind);
    if (bang || (line[at] == '|' && (first || behind))) return {line.substr(at + 1), first};
  }
  return {};
}

}  // namespace

// Analyses the command that the program takes in a line. Returns true when the line begins with
// one, so that nothing of it is code.
bool Analyser::take_commands(const InputReader& reader, const Value& line) {
  const ProgramSpec* spec = knowledge_.find(reader.program);
  if (spec == nullptr || !spec->takes_commands) return false;
  const TakenCommand taken = command_in(line.text);
  if (taken.text.empty()) return false;
  code(Value{std::string(taken.text)}, Nesting::Kind::kCode, reader.program, {}, sh_dialects());
  return taken.first;
}

void Analyser::take_code(const InputReader& reader, const Value& lines) {
  SimpleCommand command;
  command.program = reader.program;
  command.program_word = Value{std::string(reader.program)};
  command.argv.push_back(command.program_word);
  command.cwd = known_cwd();
  other_code(lines, reader.language, &command);
  // An answer is no code.
  if (!command.accesses.empty() || may_reach(lines)) emit(std::move(command), Arguments{}, {});
}

void Analyser::typed(const TypedInput& input) {
  const std::size_t open = input.before.rfind('\n') + 1;  // npos + 1 is 0
  const std::string text = input.before.substr(open) + input.text;
  begin(text);
  if (text.size() > limits_.parse.bytes) {
    over_ = true;
    facts_.doubts.push_back({Doubt::kUnjudged, -1, 0, "longer than a line may be"});
    return;
  }
  for (const InputReader& reader : input.readers) {
    std::string rest;
    for (const std::string_view line : lines_of(text)) {
      if (!take_commands(reader, Value{std::string(line)})) rest.append(line) += '\n';
    }
    if (!reader.language.empty()) take_code(reader, Value{std::string(rest)});
  }
  finish();
}

}  // namespace gibbous::command
