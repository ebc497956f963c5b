#include "runtime/command/analyse.h"

#include <algorithm>
#include <utility>

#include "runtime/base/shell_quote.h"
#include "runtime/command/analyser.h"

namespace gibbous::command {
namespace {

constexpr std::size_t kMaxShownBytes = 4096;
constexpr std::size_t kCodeCost = 16;  // a byte of code in code is parsed and walked

}  // namespace

Analyser::Analyser(const Place& place, const Knowledge& knowledge, const AnalyseLimits& limits)
    : place_(place), knowledge_(knowledge), limits_(limits), map_(place.map) {
  if (map_ == nullptr) map_ = PathMap::create(knowledge, place);
  const auto set = [&](const std::string& name, const std::string& text) {
    Variable variable;
    variable.values.push_back(Value{text});
    variable.exported = true;
    scope_.set(name, std::move(variable));
  };
  set("IFS", " \t\n");
  for (const auto& [name, text] : place.variables) set(name, text);
  if (!place.home.empty()) set("HOME", place.home);
  if (!place.cwd.empty()) set("PWD", place.cwd);
  for (const auto& [name, text] : place.set) set(name, text);
  scope_.enter(place.cwd.empty() ? Directory{{}, true} : Directory{{normalize(place.cwd)}, false});
}

bool Analyser::spend(std::size_t bytes) {
  if (over_) return false;
  spent_ += bytes;
  if (spent_ > limits_.code_bytes * kCodeCost) {
    over_ = true;
    facts_.doubts.push_back({Doubt::kUnjudged, -1, 0, "too much of it to be judged"});
    return false;
  }
  return true;
}

void Analyser::begin(std::string_view shown) {
  facts_.shown = escaped(shown, kMaxShownBytes);
  facts_.sources.emplace_back(shown.substr(0, limits_.parse.bytes));
  if (!place_.set.empty() || !place_.logs.empty()) {
    SimpleCommand command;
    command.of_start = true;
    for (const auto& [name, text] : place_.set) {
      command.assignments.push_back({name, Value{text}, true});
    }
    for (const std::string& path : place_.logs) {
      add_access(AccessKind::kWrite, false, Value{path}, -1, true, {{map_->workspace()}, false},
                 &command.accesses);
    }
    emit_nothing(std::move(command), {});
  }
}

void Analyser::finish() {
  run_later();
  const bool large = facts_.sources[0].size() > limits_.asked_bytes ||
                     facts_.commands.size() > limits_.asked_commands;
  if (large) facts_.doubts.push_back({Doubt::kOverLimit, -1, 0, "a very long command line"});
  find_unheld();
  for (SimpleCommand& each : facts_.commands) {
    if (!each.holds.empty()) each.holds = flows_.names(each.holds);
  }
}

void Analyser::line(std::string_view text) {
  begin(text);
  if (text.size() > limits_.parse.bytes) {
    over_ = true;
    facts_.doubts.push_back({Doubt::kUnjudged, -1, 0, "longer than a program can be given"});
    return;
  }
  if (has_invisible(text)) doubt(Doubt::kEncoding, "invisible characters");
  code(Value{std::string(text)}, Nesting::Kind::kCode, "", {}, also_posix(place_.dialects));
  finish();
}

void Analyser::argv(const std::vector<std::string>& words) {
  std::string shown;
  std::vector<Arg> args;
  for (const std::string& word : words) {
    if (!shown.empty()) shown += ' ';
    Arg arg;
    arg.value.text = word;
    shown += shell_quote(word);
    args.push_back(std::move(arg));
    if (shown.size() > limits_.parse.bytes * 16) break;
  }
  begin(shown);
  if (shown.size() > limits_.parse.bytes * 16) {
    facts_.doubts.push_back({Doubt::kUnjudged, -1, 0, "longer than a program can be given"});
    return;
  }
  SimpleCommand base;
  run(std::move(args), std::move(base), {});
  finish();
}

// Walks the present source in each of the dialects that may be its shell's: the facts are those of
// all readings. A text that all of them read alike is walked once.
void Analyser::read_as(Dialects dialects, const std::function<void(const Node&)>& walk_as) {
  // The list of sources grows while one is walked.
  const auto text = [&]() -> const std::string& {
    return facts_.sources[static_cast<std::size_t>(source_)];
  };
  // Later versions of dash may read $'...'.
  if ((dialects & bit_of(Dialect::kDash)) != 0 && text().find("$'") != std::string::npos)
    dialects |= bit_of(Dialect::kBusybox);
  const bool is_one = (dialects & (dialects - 1)) == 0;
  const bool differs = !is_one && may_differ(text());
  if ((dialects & kForeignShell) != 0 || ((dialects & kKornShell) != 0 && differs))
    doubt(Doubt::kUnparsed, "a shell whose language is not known well");
  const Dialect outer = dialect_;
  const Dialects outer_sh = sh_;
  const Scope::Mark mark = scope_.mark();
  std::vector<std::string> readings;
  for (const Dialect each : kAllDialects) {
    if ((dialects & bit_of(each)) == 0 || full()) continue;
    if (!readings.empty() && (!differs || !spend(text().size() * kCodeCost))) break;
    if (!readings.empty()) scope_.restore(mark);
    const std::size_t commands = facts_.commands.size();
    const std::size_t doubts = facts_.doubts.size();
    dialect_ = each;
    // All programs called sh are the same one. Where it has one dialect alone, there is nothing to
    // settle, and no need to look where its link leads.
    if (!is_one && dialects == sh_dialects()) sh_ = bit_of(each);
    parsed_.push_back(parse(text(), limits_.parse, each));
    const ParseError error = parsed_.back().error;
    walk_as(parsed_.back().root);
    if (!error.message.empty())
      doubt(error.over_limit ? Doubt::kUnjudged : Doubt::kUnparsed, error.message);
    readings.push_back(found_since(commands, doubts));
    if (std::find(readings.begin(), readings.end() - 1, readings.back()) != readings.end() - 1) {
      facts_.commands.resize(commands);
      facts_.doubts.resize(doubts);
    }
    sh_ = outer_sh;
  }
  dialect_ = outer;
}

// Returns what stands in the facts from these places on, to compare one reading with another.
std::string Analyser::found_since(std::size_t commands, std::size_t doubts) const {
  std::string found;
  const auto add = [&](const std::string& text, std::size_t mark) {
    found += text + '\0' + std::to_string(mark) + ' ';
  };
  for (std::size_t at = commands; at < facts_.commands.size(); ++at) {
    const SimpleCommand& each = facts_.commands[at];
    add(each.cwd, each.nesting.size());
    for (const Value& word : each.argv) add(word.text, word.holes.size());
    for (const NamedValue& one : each.assignments) add(one.name + "=" + one.value.text, 0);
    for (const Access& one : each.accesses)
      add(one.path + name_of(one.kind), one.classes * 2 + (one.recursive ? 1U : 0U));
    for (const auto* names : {&each.wrappers, &each.fed_by, &each.feeds})
      for (const std::string& name : *names) add(name, names->size());
  }
  for (std::size_t at = doubts; at < facts_.doubts.size(); ++at) {
    const DoubtFact& each = facts_.doubts[at];
    const std::size_t command = each.command < 0 ? 0 : static_cast<std::size_t>(each.command) + 1;
    add(name_of(each.doubt) + each.detail, command < commands ? 0 : command - commands);
  }
  return found;
}

// bash reads as POSIXLY_CORRECT says, wherever that may be set.
Dialects Analyser::also_posix(Dialects dialects) const {
  const auto posix = [](const std::string& text) {
    return text.find("posix") != std::string::npos || text.find("POSIX") != std::string::npos ||
           text.find("exec -") != std::string::npos;
  };
  const bool named = posix(facts_.sources.front()) || place_.set.contains("POSIXLY_CORRECT") ||
                     place_.variables.contains("POSIXLY_CORRECT");
  const bool bash = (dialects & bit_of(Dialect::kBash)) != 0;
  return bash && named ? dialects | bit_of(Dialect::kPosixBash) : dialects;
}

Dialects Analyser::sh_dialects() const {
  if (sh_ != 0) return sh_;
  return place_.sh != 0 ? place_.sh : dialects_of("sh", place_.resolve);
}

// Returns what the shell reads that `command` is, or starts.
Dialects Analyser::dialects_for(const SimpleCommand& command) const {
  if (command.remote || command.privileged) return kAnyDialect;
  if (!command.wrappers.empty() && command.wrappers.back() == "busybox")
    return bit_of(Dialect::kBusybox) | bit_of(Dialect::kDash);
  const std::string& word = command.program_word.text;
  const bool path = word.find('/') != std::string::npos;
  if (word == "sh" || word == "/bin/sh" || word == "/usr/bin/sh" || place_.sh != 0) {
    const Dialects named = path ? 0 : dialects_of(word, nullptr);
    return named != 0 && word != "sh" ? also_posix(named) : sh_dialects();
  }
  const std::string cwd = known_cwd();
  if (path && word[0] != '/' && cwd.empty()) return kAnyDialect;
  const Dialects found =
      dialects_of(path && word[0] != '/' ? cwd + "/" + word : word, place_.resolve);
  // script, tmux and others start the shell of the user.
  return found != 0 ? also_posix(found) : kAnyDialect;
}

// `text` becomes a source of its own, unless it is the line.
bool Analyser::code(const Value& text, Nesting::Kind kind, const std::string& by, const Feed& feed,
                    Dialects dialects) {
  if (text.text.empty()) return true;
  if (depth_ >= limits_.depth) {
    over_ = true;
    facts_.doubts.push_back({Doubt::kUnjudged, -1, source_, "nested too deeply"});
    return false;
  }
  const bool first = by.empty();
  if (!spend(text.text.size() * (first ? 1 : kCodeCost))) return false;
  if (!first) facts_.sources.push_back(text.text);
  const int source = first ? 0 : static_cast<int>(facts_.sources.size()) - 1;
  const int before = std::exchange(source_, source);
  ++depth_;
  const auto walk_as = [&](const Node& root) {
    if (first) return walk(root, feed);
    const Nest nest(*this, kind, by);
    walk(root, feed);
  };
  read_as(dialects != 0 ? dialects : bit_of(dialect_), walk_as);
  --depth_;
  source_ = before;
  return true;
}

Facts analyse(std::string_view line, const Place& place, const Knowledge& knowledge,
              const AnalyseLimits& limits) {
  Analyser analyser(place, knowledge, limits);
  analyser.line(line);
  return analyser.take();
}

Facts analyse(const std::vector<std::string>& argv, const Place& place, const Knowledge& knowledge,
              const AnalyseLimits& limits) {
  Analyser analyser(place, knowledge, limits);
  analyser.argv(argv);
  return analyser.take();
}

Facts analyse(const TypedInput& typed, const Place& place, const Knowledge& knowledge,
              const AnalyseLimits& limits) {
  Analyser analyser(place, knowledge, limits);
  analyser.typed(typed);
  return analyser.take();
}

}  // namespace gibbous::command
