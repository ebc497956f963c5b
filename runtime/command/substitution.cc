// $( ) and <( ): walks the commands inside, and takes their output from the table of outputs where
// possible.
#include "runtime/command/expander.h"

#include <algorithm>
#include <utility>

namespace gibbous::command {
void Expander::command(const Part& part) {
  const std::size_t first = analyser_.facts_.commands.size();
  const Scope::Mark mark = analyser_.scope_.mark();
  const std::string shown = part.written;
  {
    const Analyser::Nest nest(analyser_, Nesting::Kind::kSubstitution);
    analyser_.printed_ = {};
    analyser_.walk(*part.script, {});
  }
  analyser_.scope_.restore(mark);
  const Feed printed = std::exchange(analyser_.printed_, {});
  bool single = false;
  {
    const Analyser::Nest nest(analyser_, Nesting::Kind::kSubstitution);
    single = analyser_.is_plain(*part.script, first);
  }
  if (single) {
    if (printed.text && printed.text->literal()) {
      Value text = *printed.text;
      while (!text.text.empty() && text.text.back() == '\n') text.text.pop_back();
      insert(text, part.quoted);
      return;
    }
    if (output_of(analyser_.facts_.commands[first], part.quoted)) return;
    if (printed.words && !part.quoted && split_) {  // find prints paths below each of its operands
      bool next = false;
      for (Value word : *printed.words) {
        // A name with a blank becomes several words, each of which may be an option.
        for (Value::Hole& hole : word.holes) hole.splits = true;
        if (std::exchange(next, true)) end_if_any();
        insert(word, true);
      }
      return;
    }
  }
  hole(Value::Hole::Kind::kUnknown, shown, !part.quoted && split_);
  if (printed.decodes) current_.holes.back().decoded = true;
}

bool Expander::output_of(const SimpleCommand& command, bool quoted) {
  if (command.program.empty() || command.fed_by.size() > 0) return false;
  std::string words = command.program;
  for (std::size_t at = 1; at < command.argv.size() && at < 6; ++at) {
    if (!command.argv[at].literal()) return false;
    words += " " + command.argv[at].text;
  }
  if (command.argv.size() >= 6) return false;
  const auto& outputs = analyser_.knowledge_.outputs;
  auto found = outputs.find(words);
  std::string argument;
  if (found == outputs.end() && command.argv.size() > 1) {
    const std::size_t space = words.rfind(' ');
    argument = words.substr(space + 1);
    found = outputs.find(words.substr(0, space) + " *");
  }
  if (found == outputs.end()) found = outputs.find(command.program + " **");
  if (found == outputs.end()) return false;
  fill(found->second, argument, quoted);
  return true;
}

void Expander::fill(const std::string& text, const std::string& argument, bool quoted) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t mark = std::min(text.find_first_of("$*", at), text.size());
    append(std::string_view(text).substr(at, mark - at), quoted);
    if (mark == text.size()) break;
    at = mark + 1;
    if (text[mark] == '*') {
      hole(Value::Hole::Kind::kUnknown, "*", false);
      continue;
    }
    std::size_t end = at;
    while (end < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_'))
      ++end;
    const std::string name = text.substr(at, end - at);
    at = end;
    const Value* value = known(name);
    if (name == "1") {
      append(argument, quoted);
    } else if (name == "WORKSPACE") {
      append(analyser_.place_.workspace, true);
    } else if (value != nullptr) {
      insert(Value(*value), true);
    } else {
      hole(Value::Hole::Kind::kUnknown, "$" + name, false);
    }
  }
}

void Expander::process(const Part& part) {
  producers_begin_ = static_cast<int>(analyser_.facts_.commands.size());
  const Scope::Mark mark = analyser_.scope_.mark();
  {
    const Analyser::Nest nest(analyser_, Nesting::Kind::kProcess);
    Feed feed;
    feed.piped = part.text == ">";  // it reads what the outer command writes
    analyser_.walk(*part.script, feed);
  }
  analyser_.scope_.restore(mark);
  producers_end_ = static_cast<int>(analyser_.facts_.commands.size());
  process_ = part.text == "<";
  hole(Value::Hole::Kind::kUnknown, part.written, false);
}

}  // namespace gibbous::command
