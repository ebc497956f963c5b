// Builtins that change variables, positional parameters, functions or the working directory, and
// calls of functions.
#include <algorithm>
#include <utility>

#include "runtime/command/analyser.h"

namespace gibbous::command {
namespace {

constexpr std::size_t kMaxFunctionDepth = 32;
constexpr std::size_t kCallCost = 512;
constexpr std::size_t kPathCost = 8;
constexpr std::size_t kMaxPath = 8192;  // twice what the kernel takes
constexpr std::size_t kMaxChoices = 8;  // of words with alternatives, for one command

}  // namespace

// Forgets the variable that a word names ("x", "x=1", "x[0]", "-vx"), or all variables if the name
// is unknown.
void Analyser::forget_named(const Value& word) {
  if (word.starts_unknown()) {
    if (spend(scope_.size() * kPathCost)) scope_.forget_all();
    return;
  }
  for (const std::size_t from : {std::size_t{0}, std::size_t{2}}) {
    if (from > 0 && (word.text.size() <= from || word.text[0] != '-')) return;
    // In a cluster of options, the name may begin anywhere.
    std::size_t at = from;
    do {
      const std::string rest = word.text.substr(at);
      const std::string name = rest.substr(0, rest.find_first_of("=[+-"));
      if (is_name(name)) scope_.forget(name);
      ++at;
    } while (from > 0 && at < std::min<std::size_t>(word.text.size(), kMaxChoices));
  }
}

// The positions are known up to the first word that may expand to several words or to none.
void Analyser::set_positional(const std::vector<Value>& argv, std::size_t from) {
  for (std::size_t at = from; at < argv.size(); ++at) flow(kPositional, argv[at]);
  for (std::size_t at = from; at < argv.size(); ++at) {
    for (const Value::Hole& hole : argv[at].holes) {
      if (!hole.splits && hole.kind != Value::Hole::Kind::kGlob) continue;
      scope_.set_positional(std::nullopt);
      return;
    }
  }
  scope_.set_positional(
      std::vector<Value>(argv.begin() + static_cast<std::ptrdiff_t>(from), argv.end()));
}

// read, mapfile, getopts and printf -v give what they get to the variables that they name, and to
// their own. Which word is the name of one is not examined.
void Analyser::flow_read(const std::string& name, const std::vector<Value>& argv,
                         const Feed& feed) {
  std::vector<std::string> names;
  if (name == "read") names.emplace_back("REPLY");
  if (name == "mapfile" || name == "readarray") names.emplace_back("MAPFILE");
  if (name == "getopts") names.emplace_back("OPTARG");
  for (std::size_t at = 1; at < argv.size(); ++at) {
    std::string word = argv[at].text.substr(0, argv[at].text.find('['));
    if (word.rfind("-v", 0) == 0) word.erase(0, 2);
    if (is_name(word)) names.push_back(std::move(word));
  }
  if (name == "printf" && (argv.size() < 2 || argv[1].text.rfind("-v", 0) != 0)) return;
  const bool words = name == "getopts" || name == "printf" || name == "let";
  // printf -v NAME, getopts LETTERS NAME, let EXPRESSIONS
  const auto last_name = static_cast<std::ptrdiff_t>(
      name == "let" ? argv.size() : std::min<std::size_t>(argv.size(), 3));
  const bool names_unknown =
      std::any_of(argv.begin() + 1, argv.begin() + last_name, [](const Value& word) {
        return word.starts_unknown() || (word.text.rfind("-v", 0) == 0 && !word.literal());
      });
  const std::string given =
      name + " " + std::to_string(source_) + ":" + std::to_string(argv[0].range.begin);
  if (name == "getopts") flow(given, std::string(kPositional));
  if (!words && feed.text) flow(given, *feed.text);
  for (std::size_t at = 1; words && at < argv.size(); ++at) {
    flow(given, argv[at]);
    if (names_unknown) flow_anywhere(argv[at]);
  }
  for (const std::string& into : names) flow(into, given);
}

// export, declare, typeset, local, readonly
void Analyser::declare(const SimpleCommand& command, const std::vector<Arg>& args) {
  const std::string& name = command.program_word.text;
  const auto& argv = command.argv;
  std::string letters;
  for (std::size_t at = 1; at < argv.size(); ++at) {
    if (argv[at].text.size() > 1 && (argv[at].text[0] == '-' || argv[at].text[0] == '+'))
      letters += argv[at].text.substr(1);
  }
  const auto has = [&](const char* any) { return letters.find_first_of(any) != std::string::npos; };
  const bool fixes = name == "readonly" || has("r");
  const bool exports = name == "export" || has("x");
  const bool local = !active_.empty() && name != "export" && name != "readonly" && !has("g");
  for (std::size_t at = 1; at < argv.size(); ++at) {
    const Value& word = argv[at];
    if (word.text.empty() || word.text[0] == '-' || word.text[0] == '+') continue;
    if (word.starts_unknown()) {
      flow_anywhere(word);
      if (spend(scope_.size() * kPathCost)) scope_.forget_all();
      continue;
    }
    const std::size_t end = word.text.find_first_of("=+[");
    const std::string variable = word.text.substr(0, end);
    if (!is_name(variable)) continue;
    if (local) active_.back().locals.push_back(variable);
    if (has("n")) doubt(Doubt::kUnparsed, word.range, "a reference: " + word.text);
    flow(variable, word);
    const bool distorts = has("niluc");
    const bool known = word.holes.empty() || word.holes[0].begin > end;
    const bool assigns = end != std::string::npos && word.text[end] == '=';
    if (distorts) {
      scope_.distort(variable);
    } else if (!assigns) {
      // A new local variable has an unknown value, and an append changes the old one.
      const bool only_marks = end == std::string::npos && !local;
      if (!only_marks) scope_.forget(variable);
    } else if (!known || args[at].alternative || has("aA") ||
               (end + 1 < word.text.size() && word.text[end + 1] == '(')) {
      scope_.forget(variable);
    } else {
      Variable made;
      made.values.push_back(tail_of(word, end + 1));
      made.exported = exports;
      const Variable* old = scope_.find(variable);
      made.array = old != nullptr && old->array;
      made.unknown = made.array;
      scope_.set(variable, std::move(made));
    }
    if (exports) {
      scope_.put_in_environment(variable);
      exported_.insert(variable);
    }
    if (fixes) scope_.fix(variable);
  }
}

// Applies the effect of a builtin to the scope. Returns false if the command is not a builtin.
bool Analyser::builtin(const SimpleCommand& command, const std::vector<Arg>& args,
                       const Feed& feed) {
  if (command.remote || !command.program_word.literal()) return false;
  const std::string& name = command.program_word.text;
  if (!is_bash(dialect_)) {
    constexpr std::string_view kOfBash =
        " pushd popd declare typeset mapfile readarray shopt printf ";
    if (kOfBash.find(" " + name + " ") != std::string_view::npos) return false;
    const Scope::Mark mark = scope_.mark();
    const bool is_builtin = effect_of(name, command, args, feed);
    // An option that only bash knows makes it fail, and local may keep the value.
    scope_.keep_forgotten(mark);
    return is_builtin;
  }
  return effect_of(name, command, args, feed);
}

bool Analyser::effect_of(const std::string& name, const SimpleCommand& command,
                         const std::vector<Arg>& args, const Feed& feed) {
  const auto& argv = command.argv;
  if (name == "cd" || name == "pushd") {
    enter(target_of(argv));
  } else if (name == "popd") {
    enter({{}, true});
  } else if (name == "export" || name == "declare" || name == "typeset" || name == "local" ||
             name == "readonly") {
    declare(command, args);
  } else if (name == "read" || name == "mapfile" || name == "readarray" || name == "getopts" ||
             name == "let" || name == "printf" || name == "wait") {
    if (name == "read") scope_.forget("REPLY");
    if (name == "mapfile" || name == "readarray") scope_.forget("MAPFILE");
    if (name == "getopts") {
      scope_.forget("OPTARG");
      scope_.forget("OPTIND");
    }
    flow_read(name, argv, feed);
    const bool prints = name == "printf" && (argv.size() < 2 || argv[1].text.rfind("-v", 0) != 0);
    for (std::size_t at = 1; at < argv.size() && !prints; ++at) {
      forget_named(argv[at]);
    }
  } else if (name == "unset") {
    const bool functions = argv.size() > 1 && argv[1].text.rfind("-f", 0) == 0;
    for (std::size_t at = 1; at < argv.size(); ++at) {
      if (!functions) forget_named(argv[at]);
      scope_.remove_function(argv[at].text);
    }
  } else if (name == "shopt") {
    for (const Value& word : argv)
      last_pipe_ = last_pipe_ || !word.literal() || word.text == "lastpipe";
  } else if (name == "set") {
    for (std::size_t at = 1; at < argv.size(); ++at) {
      const std::string& text = argv[at].text;
      if (argv[at].starts_unknown()) {
        scope_.set_positional(std::nullopt);
        break;
      }
      const bool dashes = text == "--";
      const bool option = !text.empty() && (text[0] == '-' || text[0] == '+');
      if (!dashes && option) {
        if (text.back() == 'o' && text.size() > 1) ++at;
        const bool named = at < argv.size() && argv[at].text == "physical";
        const bool all = at < argv.size() && argv[at].text == "allexport";
        exports_all_ = exports_all_ || all || (text[0] == '-' && text.find('a') != text.npos);
        physical_ = physical_ || named || text.find('P') != std::string::npos;
        if (text == "-" && at + 1 == argv.size()) break;
        continue;
      }
      set_positional(argv, dashes ? at + 1 : at);
      break;
    }
  } else if (name == "shift") {
    scope_.set_positional(std::nullopt);
  } else if (name == "exec") {
    input_moved_ = input_moved_ || feed.piped || feed.file.has_value();
  } else if (name == "alias") {
    if (argv.size() > 1) doubt(Doubt::kUnparsed, command.range, "an alias");
  } else {
    return false;
  }
  return true;
}

// Returns the directory that `to` names when the shell stands in `from`.
Directory Analyser::below(const Directory& from, const Value& to) {
  std::size_t bytes = to.text.size();
  for (const std::string& path : from.paths) bytes += path.size();
  if (!spend(bytes * kPathCost) || bytes > kMaxPath || !to.literal()) return {{}, true};
  if (to.text.rfind('/', 0) == 0) return {{normalize(to.text)}, false};
  Directory made;
  made.unknown = from.unknown;
  for (const std::string& each : from.paths) {
    if (each.size() + to.text.size() < kMaxDirectoryBytes) {
      made.paths.push_back(join(each, to.text));
    } else {
      made.unknown = true;
    }
  }
  return made;
}

// Returns the directory in which a program stands after chdir(2), and cd -P: ".." leaves the
// directory to which a link leads.
Directory Analyser::reached(const Directory& from, const Value& to) {
  Directory made = below(from, to);
  if (!place_.resolve || made.paths.empty()) return made;
  const bool absolute = to.text.rfind('/', 0) == 0;
  std::vector<std::string> starts = absolute ? std::vector<std::string>{""} : from.paths;
  made.paths.clear();
  for (const std::string& each : starts) {
    const std::string path = absolute ? to.text : each + "/" + to.text;
    if (path.size() >= kMaxDirectoryBytes || !spend(path.size() * kPathCost)) {
      made.unknown = true;
      continue;
    }
    auto real = place_.resolve(path);
    if (real) {
      made.paths.push_back(std::move(*real));
    } else {
      doubt(Doubt::kUnansweredPath, to.range, path, static_cast<int>(facts_.commands.size()));
      made.unknown = true;
    }
  }
  return made;
}

std::string Analyser::known_cwd() const {
  const Directory& cwd = scope_.cwd();
  return cwd.paths.size() == 1 && !cwd.unknown ? cwd.paths[0] : "";
}

// Changes the directory, and PWD and OLDPWD with it.
void Analyser::enter(Directory to) {
  const auto follow = [&](const char* name) {
    const std::string path = known_cwd();
    if (path.empty()) {
      scope_.forget(name);
      return;
    }
    Variable variable;
    variable.values.emplace_back();
    variable.values.back().text = path;
    scope_.set(name, std::move(variable));
  };
  follow("OLDPWD");
  scope_.enter(std::move(to));
  follow("PWD");
}

// Returns the directory to which cd or pushd leads. The directory stack is not tracked.
Directory Analyser::target_of(const std::vector<Value>& argv) {
  const Directory unknown{{}, true};
  const bool pushes = argv[0].text == "pushd";
  bool physical = false;
  std::size_t at = 1;
  for (; at < argv.size() && argv[at].text.size() > 1 && argv[at].text[0] == '-'; ++at) {
    const std::string& option = argv[at].text;
    if (option == "--") {
      ++at;
      break;
    }
    if (pushes) return option == "-n" ? scope_.cwd() : unknown;
    for (const char letter : option) physical = letter == 'P' || (physical && letter != 'L');
  }
  const bool rotates = pushes && (at >= argv.size() || argv[at].text.rfind('+', 0) == 0);
  if (rotates) return unknown;
  Value to;
  if (at >= argv.size() || argv[at].text == "-") {
    const Variable* variable = scope_.find(at >= argv.size() ? "HOME" : "OLDPWD");
    if (variable == nullptr || variable->unknown || variable->values.size() != 1) return unknown;
    to = variable->values[0];
  } else {
    to = argv[at];
    const bool searched = !to.text.empty() && to.text[0] != '/' && to.text[0] != '.';
    if (searched && scope_.find("CDPATH") != nullptr) return unknown;
  }
  // Without links to look up, the lexical path would be wrong.
  const bool climbs = to.text.find("..") != std::string::npos;
  if (physical && climbs && !place_.resolve) return unknown;
  if (physical) return reached(scope_.cwd(), to);
  Directory made = below(scope_.cwd(), to);
  // bash takes the path physically if the directory does not exist that it finds without links.
  if (!physical_ && !climbs) return made;
  for (std::string& path : reached(scope_.cwd(), to).paths) {
    const auto same = [&](const std::string& each) {
      return each == path || (!physical_ && place_.resolve && place_.resolve(each) == path);
    };
    if (std::none_of(made.paths.begin(), made.paths.end(), same))
      made.paths.push_back(std::move(path));
  }
  return made;
}

bool Analyser::call_function(const std::string& name, const std::vector<Value>& argv,
                             const SimpleCommand& base, const Feed& feed) {
  const Function* found = scope_.function(name);
  if (found == nullptr) return false;
  const Function function = *found;
  for (Active& each : active_) {
    const auto same = [&](const Function::Body& body) { return body.node == each.body; };
    const bool itself =
        each.name == name && std::any_of(function.bodies.begin(), function.bodies.end(), same);
    if (!itself) continue;
    for (const Value& word : argv) flow(kPositional, word);
    ++each.calls_itself;
    for (std::size_t at = each.nesting; at < nesting_.size(); ++at) {
      const Nesting::Kind kind = nesting_[at].kind;
      each.at_once =
          each.at_once || kind == Nesting::Kind::kPipeline || kind == Nesting::Kind::kBackground;
    }
    return true;
  }
  if (active_.size() >= kMaxFunctionDepth) {
    spend(limits_.code_bytes * 64);
    return true;
  }
  if (!spend(kCallCost)) return true;
  const auto positional = scope_.positional();
  const Scope::Mark mark = scope_.mark();
  note_redirections(base.accesses, base.range);
  for (const Function::Body& body : function.bodies) {
    if (full()) break;
    const Scope::Mark one = scope_.mark();
    if (!dry_) walked_bodies_.insert(body.node);
    active_.push_back({name, body.node, 0, false, nesting_.size() + 1, depth_ + 1, {}});
    if (argv.empty()) {
      scope_.set_positional(std::nullopt);
    } else {
      set_positional(argv, 1);
    }
    const int source = std::exchange(source_, body.source);
    ++depth_;
    {
      const Nest nest(*this, Nesting::Kind::kFunction, name);
      walk(*body.node, feed);
    }
    --depth_;
    source_ = source;
    const Active ended = std::move(active_.back());
    active_.pop_back();
    for (const std::string& local : ended.locals) scope_.forget(local);
    // Then it runs with any words, and in any state that the first call left.
    if (ended.calls_itself > 0)
      doubt(ended.at_once ? Doubt::kForkBomb : Doubt::kUnparsed, base.range, name);
    if (function.bodies.size() > 1) scope_.merge(one);
  }
  scope_.set_positional(positional);
  if (!function.certain) scope_.merge(mark);
  return true;
}

}  // namespace gibbous::command
