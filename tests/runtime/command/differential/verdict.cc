#include "tests/runtime/command/differential/verdict.h"

#include <algorithm>

namespace gibbous::command::testing {
namespace {

// mark x=~: bash puts the home directory there, dash does not, and which one runs is unknown.
std::string with_home(std::string id) {
  const std::string tilde = "=~";
  const std::size_t at = id.find(tilde);
  return at == std::string::npos ? id : id.replace(at + 1, 1, "/tmp/work");
}

// The command may be the mark with this id: the id is one of its words, or one is not known.
bool is_mark(const SimpleCommand& command, const std::string& id) {
  if (command.program != "mark") return false;
  if (command.argv.size() < 2) return id.empty();
  const std::string at_home = with_home(id);
  return std::any_of(command.argv.begin() + 1, command.argv.end(), [&](const Value& word) {
    return !word.literal() || word.text == id || word.text == at_home;
  });
}

}  // namespace

Verdict compare(const Facts& facts, const std::vector<std::string>& marks) {
  bool found = true;
  for (const std::string& id : marks) {
    const auto same = [&](const SimpleCommand& each) { return is_mark(each, id); };
    found = found && std::any_of(facts.commands.begin(), facts.commands.end(), same);
  }
  if (found) return Verdict::kFound;
  return facts.doubts.empty() ? Verdict::kMissed : Verdict::kDoubted;
}

Facts facts_of(const std::string& line, const Knowledge& knowledge, const std::string& shell) {
  Place place;
  place.dialects =
      shell == "posix" ? bit_of(Dialect::kPosixBash) : dialects_of(shell, /*resolve=*/nullptr);
  place.sh = bit_of(Dialect::kDash);  // that is what the confinement has
  place.workspace = "/tmp/work";
  place.cwd = "/tmp/work";
  place.home = "/tmp/work";
  return analyse(line, place, knowledge);
}

std::string described(const Facts& facts) {
  std::string text;
  for (const SimpleCommand& command : facts.commands) {
    text += "    command:";
    for (const Value& word : command.argv)
      text += (word.literal() ? " [" : " ?[") + escaped(word.text, 60) + "]";
    text += "\n";
  }
  for (const DoubtFact& doubt : facts.doubts)
    text +=
        std::string("    doubt: ") + name_of(doubt.doubt) + ": " + escaped(doubt.detail, 60) + "\n";
  return text;
}

}  // namespace gibbous::command::testing
