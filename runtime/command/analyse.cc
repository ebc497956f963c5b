#include "runtime/command/analyse.h"

#include <algorithm>
#include <utility>

#include "runtime/base/shell_quote.h"
#include "runtime/command/analyser.h"
#include "runtime/command/past.h"

namespace gibbous::command {
namespace {

constexpr std::size_t kMaxShownBytes = 4096;
constexpr std::size_t kMaxSlice = 160;
constexpr std::size_t kCodeCost = 16;  // a byte of code in code is parsed and walked

}  // namespace

Analyser::Analyser(const Place& place, const Knowledge& knowledge, const AnalyseLimits& limits)
    : place_(place), knowledge_(knowledge), limits_(limits), map_(place.map) {
  if (map_ == nullptr) map_ = PathMap::create(knowledge, place);
  const auto set = [&](const std::string& name, const std::string& text) {
    Variable variable;
    Value value;
    value.text = text;
    variable.values.push_back(std::move(value));
    variable.exported = true;
    scope_.given(name, std::move(variable));
  };
  set("IFS", " \t\n");
  for (const auto& [name, text] : place.variables) set(name, text);
  if (!place.home.empty()) set("HOME", place.home);
  if (!place.cwd.empty()) set("PWD", place.cwd);
  for (const auto& [name, text] : place.set) set(name, text);
  scope_.begin(place.cwd.empty() ? Directory{{}, true} : Directory{{normalize(place.cwd)}, false});
}

bool Analyser::spend(std::size_t bytes) {
  if (over_) return false;
  spent_ += bytes;
  if (spent_ > limits_.code_bytes * kCodeCost) {
    over_ = true;
    facts_.doubts.push_back({Doubt::kUnjudged, -1, 0, {}, "too much of it to be judged"});
    return false;
  }
  return true;
}

std::string Analyser::slice(Range range) const {
  const std::string& text = facts_.sources[static_cast<std::size_t>(source_)];
  if (range.begin >= text.size() || range.end <= range.begin) return "";
  return text.substr(range.begin, std::min<std::size_t>(range.end - range.begin, kMaxSlice));
}

void Analyser::begin(std::string_view shown) {
  facts_.shown = escaped(shown, kMaxShownBytes);
  facts_.sources.emplace_back(shown.substr(0, limits_.parse.bytes));
  const bool sets = !place_.set.empty();
  if (sets || !place_.logs.empty()) {
    SimpleCommand command;
    command.cwd = known_cwd();
    Value word;
    word.text = ":";
    command.program = ":";
    command.program_word = word;
    command.argv.push_back(std::move(word));
    for (const auto& [name, text] : place_.set) {
      Value value;
      value.text = text;
      command.assignments.push_back({name, std::move(value), true});
    }
    for (const std::string& path : place_.logs) {
      Value value;
      value.text = path;
      add_access(AccessKind::kWrite, false, value, -1, true, {{map_->workspace()}, false},
                 &command.accesses);
    }
    emit(std::move(command), Arguments{}, {});
  }
}

void Analyser::finish() {
  blurred_from_ = scope_.changes();
  call_uncalled();
  // Checked at the end, because a loop may write the file later than it runs it.
  for (Executed& each : executed_) {
    const bool written = written_unknown_ || (each.path.empty() && !written_.empty()) ||
                         written_.count(each.path) > 0;
    if (written && facts_.doubts.size() < limits_.commands)
      facts_.doubts.push_back(std::move(each.doubt));
  }
  const bool large = facts_.sources[0].size() > limits_.asked_bytes ||
                     facts_.commands.size() > limits_.asked_commands;
  if (large) facts_.doubts.push_back({Doubt::kOverLimit, -1, 0, {}, "a very long command line"});
  find_unheld();
  for (SimpleCommand& each : facts_.commands) {
    if (!each.holds.empty()) each.holds = flows_.names(each.holds);
  }
}

void Analyser::line(std::string_view text) {
  begin(text);
  if (text.size() > limits_.parse.bytes) {
    over_ = true;
    facts_.doubts.push_back({Doubt::kUnjudged, -1, 0, {}, "longer than a program can be given"});
    return;
  }
  if (has_invisible(without_marks(text))) doubt(Doubt::kEncoding, {}, "invisible characters");
  Value whole;
  whole.text = std::string(text);
  whole.range = {0, static_cast<std::uint32_t>(text.size())};
  code(whole, Nesting::Kind::kCode, "", {});
  finish();
}

void Analyser::argv(const std::vector<std::string>& words) {
  std::string shown;
  std::vector<Arg> args;
  for (const std::string& word : words) {
    if (!shown.empty()) shown += ' ';
    Arg arg;
    arg.value.text = word;
    arg.value.range.begin = static_cast<std::uint32_t>(shown.size());
    shown += shell_quote(word);
    arg.value.range.end = static_cast<std::uint32_t>(shown.size());
    args.push_back(std::move(arg));
    if (shown.size() > limits_.parse.bytes * 16) break;
  }
  begin(shown);
  if (shown.size() > limits_.parse.bytes * 16) {
    facts_.doubts.push_back({Doubt::kUnjudged, -1, 0, {}, "longer than a program can be given"});
    return;
  }
  SimpleCommand base;
  base.range = {0, static_cast<std::uint32_t>(shown.size())};
  run(std::move(args), std::move(base), {});
  finish();
}

// `text` becomes a source of its own, unless it is the line.
bool Analyser::code(const Value& text, Nesting::Kind kind, const std::string& by,
                    const Feed& feed) {
  if (text.text.empty()) return true;
  if (depth_ >= limits_.depth) {
    over_ = true;
    facts_.doubts.push_back({Doubt::kUnjudged, -1, source_, text.range, "nested too deeply"});
    return false;
  }
  const bool first = by.empty();
  if (!spend(text.text.size() * (first ? 1 : kCodeCost))) return false;
  if (!first) facts_.sources.push_back(text.text);
  const int source = first ? 0 : static_cast<int>(facts_.sources.size()) - 1;
  parsed_.push_back(parse(facts_.sources[static_cast<std::size_t>(source)], limits_.parse));
  const Parsed& parsed = parsed_.back();
  const int before = std::exchange(source_, source);
  ++depth_;
  if (first) {
    walk(parsed.root, feed);
  } else {
    const Nest nest(*this, kind, by);
    walk(parsed.root, feed);
  }
  --depth_;
  if (!parsed.error.message.empty()) {
    doubt(parsed.error.over_limit ? Doubt::kUnjudged : Doubt::kUnparsed, parsed.error.range,
          parsed.error.message);
  }
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
