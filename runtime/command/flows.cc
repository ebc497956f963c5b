#include "runtime/command/flows.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "runtime/command/analyser.h"

namespace gibbous::command {
namespace {

bool is_positional(const std::string& name) {
  return name == "@" || name == "*" ||
         (!name.empty() && std::all_of(name.begin(), name.end(),
                                       [](char each) { return each >= '0' && each <= '9'; }));
}

void collect(const Part& part, std::vector<std::string>* into) {
  // Arithmetic makes numbers, and what a command prints is judged there.
  if (part.kind == Part::Kind::kArithmetic) return;
  if (part.kind == Part::Kind::kParameter) {
    // Its length, whether it is set, and names alone tell nothing of a value.
    const bool tells = part.op != "#" && part.op != "+" && part.op != ":+" && part.op != "!*" &&
                       !(part.op == "!" && part.subscripted);
    if (tells && is_positional(part.text)) {
      into->emplace_back(kPositional);
    } else if (tells && is_name(part.text)) {
      into->push_back(part.text);
      if (part.op == "!") into->push_back("!" + part.text);
    }
  }
  for (const Part& each : part.operand) collect(each, into);
}

}  // namespace

bool Flows::add(const std::string& into, const std::string& from) {
  if (into.empty() || from.empty() || into == from) return false;
  std::vector<std::string>& sources = sources_[into];
  if (std::find(sources.begin(), sources.end(), from) != sources.end()) return false;
  if (sources.size() < kMaxHeldNames) {
    sources.push_back(from);
  } else if (sources.size() == kMaxHeldNames) {
    sources.push_back(kAnyVariable);
  } else {
    return false;
  }
  return true;
}

void Flows::add_anywhere(const std::string& from) {
  if (std::find(anywhere_.begin(), anywhere_.end(), from) != anywhere_.end()) return;
  if (anywhere_.size() < kMaxHeldNames) {
    anywhere_.push_back(from);
  } else {
    anywhere_.back() = kAnyVariable;
  }
}

std::vector<std::string> Flows::names(const std::vector<std::string>& texts) const {
  std::vector<std::string> found;
  std::vector<std::string> open = texts;
  std::unordered_set<std::string> seen(texts.begin(), texts.end());
  bool anywhere = false;
  const auto reach = [&](const std::vector<std::string>& sources) {
    for (const std::string& each : sources) {
      if (seen.insert(each).second) open.push_back(each);
    }
  };
  while (!open.empty()) {
    const std::string text = std::move(open.back());
    open.pop_back();
    if (seen.size() > kMaxHeldNames * 2) {
      found.emplace_back(kAnyVariable);
      break;
    }
    const bool is_variable = is_name(text);
    if (is_variable || is_positional(text) || text[0] == '!' || text[0] == '<')
      found.push_back(text);
    if (is_variable && !std::exchange(anywhere, true)) reach(anywhere_);
    const auto sources = sources_.find(text);
    if (sources != sources_.end()) reach(sources->second);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::vector<std::string> held_by(const Part& part) {
  std::vector<std::string> names;
  collect(part, &names);
  return names;
}

// Notes that a variable, or an unknown part of a word, may hold what the unknown parts of the value
// hold.
void Analyser::flow(const std::string& into, const Value& value) {
  for (const Value::Hole& hole : value.holes) {
    if (hole.kind == Value::Hole::Kind::kUnknown)
      flow(into, value.text.substr(hole.begin, hole.end - hole.begin));
  }
}

void Analyser::flow(const std::string& into, const std::string& from) {
  constexpr std::size_t kFlowCost = 32;  // in bytes of text
  // Most unknown parts are no variables.
  if (!is_name(from) && !flows_.has(from) && from != kPositional && from[0] != '!') return;
  if (flows_.add(into, from)) spend(kFlowCost);
}

void Analyser::flow_anywhere(const Value& value) {
  for (const Value::Hole& hole : value.holes) {
    const std::string text = value.text.substr(hole.begin, hole.end - hole.begin);
    if (hole.kind == Value::Hole::Kind::kUnknown && flows_.has(text)) flows_.add_anywhere(text);
  }
}

void Analyser::flow_names(const std::string& into, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    flow(into, name);
    if (name[0] != '!') continue;
    // ${!x} is the variable that x names.
    const Variable* naming = scope_.find(name.substr(1));
    if (naming == nullptr) continue;
    for (const Value& each : naming->values) {
      if (each.literal()) flow(into, each.text);
    }
  }
}

// The unknown parts of what the command is given: as words, and as text in the line.
std::vector<std::string> Analyser::given_to(const SimpleCommand& command, const Feed& feed) const {
  std::vector<std::string> texts;
  const auto add = [&](const Value& value) {
    for (const Value::Hole& hole : value.holes) {
      std::string text = value.text.substr(hole.begin, hole.end - hole.begin);
      // More count as any variable: see Flows::names.
      if (texts.size() <= kMaxHeldNames * 2 && hole.kind == Value::Hole::Kind::kUnknown &&
          flows_.has(text) && std::find(texts.begin(), texts.end(), text) == texts.end())
        texts.push_back(std::move(text));
    }
  };
  for (const Value& word : command.argv) add(word);
  if (feed.text) add(*feed.text);
  return texts;
}

}  // namespace gibbous::command
