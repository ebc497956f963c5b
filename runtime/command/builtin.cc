// Builtins that change variables, positional parameters, functions or the working directory.
#include <algorithm>
#include <utility>

#include "runtime/command/analyser.h"

namespace gibbous::command {
namespace {

constexpr std::size_t kPathCost = 8;
constexpr std::size_t kMaxPath = 8192;  // twice what the kernel takes

bool is_one_of(std::string_view names, std::string_view name) {
  return names.find(" " + std::string(name) + " ") != std::string_view::npos;
}

}  // namespace

// Forgets the variables that a word may name ("x", "x=1", "x[0]", "-vx", "-rax"), or all variables
// if the name is unknown.
void Analyser::forget_named(const Value& word, const std::string& given) {
  constexpr std::size_t kMaxOptions = 8;  // in a cluster, behind which the name may begin
  if (word.starts_unknown() || (word.text.rfind("-v", 0) == 0 && !word.literal())) {
    flows_.add_anywhere(given);
    if (spend(scope_.size() * kPathCost)) scope_.forget_all();
    return;
  }
  const bool option = word.text.size() > 2 && word.text[0] == '-';
  for (std::size_t at = option ? 2 : 0; at < (option ? kMaxOptions : 1); ++at) {
    const std::string rest = word.text.substr(std::min(at, word.text.size()));
    const std::string name = rest.substr(0, rest.find_first_of("=[+-"));
    if (!is_name(name)) continue;
    scope_.forget(name);
    flow(name, given);
  }
}

// The positions are known up to the first word that may expand to several words or to none.
void Analyser::set_positional(const std::vector<Value>& argv, std::size_t from) {
  std::optional<std::vector<Value>> words(std::in_place);
  for (std::size_t at = from; at < argv.size(); ++at) {
    flow(kPositional, argv[at]);
    const bool one =
        std::none_of(argv[at].holes.begin(), argv[at].holes.end(), [](const Value::Hole& hole) {
          return hole.splits || hole.kind == Value::Hole::Kind::kGlob;
        });
    if (!one) words.reset();
    if (words) words->push_back(argv[at]);
  }
  scope_.set_positional(std::move(words));
}

// read, mapfile, getopts, let, wait and printf -v give what they get to variables. Which word is
// the name of one is not examined.
void Analyser::read_into(const std::string& name, const std::vector<Value>& argv,
                         const Feed& feed) {
  const bool prints = name == "printf" && (argv.size() < 2 || argv[1].text.rfind("-v", 0) != 0);
  if (prints) return;
  const std::string given = name + " " + std::to_string(facts_.commands.size());
  if (name == "getopts") flow(given, std::string(kPositional));
  const bool words = name == "getopts" || name == "printf" || name == "let";
  if (!words && feed.text) flow(given, *feed.text);
  for (std::size_t at = 1; words && at < argv.size(); ++at) flow(given, argv[at]);
  for (const char* own : {"REPLY", "MAPFILE", "OPTARG", "OPTIND"}) forget_named(Value{own}, given);
  // printf -v NAME, getopts LETTERS NAME
  const std::size_t last =
      words && name != "let" ? std::min<std::size_t>(argv.size(), 3) : argv.size();
  for (std::size_t at = 1; at < last; ++at) forget_named(argv[at], given);
}

// export, declare, typeset, local, readonly
void Analyser::declare(const SimpleCommand& command) {
  const std::string& name = command.program_word.text;
  std::string letters;
  for (const Value& word : command.argv) {
    if (word.text.size() > 1 && (word.text[0] == '-' || word.text[0] == '+')) letters += word.text;
  }
  const auto has = [&](const char* any) { return letters.find_first_of(any) != std::string::npos; };
  const bool local = !active_.empty() && name != "export" && name != "readonly" && !has("g");
  if (has("n") || (has("iluc") && name != "export" && name != "readonly"))
    doubt(Doubt::kUnparsed, name + " " + letters);
  for (std::size_t at = 1; at < command.argv.size(); ++at) {
    const Value& word = command.argv[at];
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
    flow(variable, word);
    const Variable* old = scope_.find(variable);
    const bool assigns = end != std::string::npos && word.text[end] == '=' &&
                         (word.holes.empty() || word.holes[0].begin > end) && !has("aAniluc") &&
                         word.text.compare(end + 1, 1, "(") != 0 && (old == nullptr || !old->array);
    if (assigns) {
      Variable made;
      made.values.push_back(tail_of(word, end + 1));
      scope_.set(variable, std::move(made));
    } else if (end == std::string::npos && local && !is_bash(dialect_) && old != nullptr) {
      Variable kept = *old;  // in some shells
      kept.unknown = true;
      scope_.set(variable, std::move(kept));
    } else if (end != std::string::npos || local) {
      scope_.forget(variable);
    }
    if (name == "export" || has("x")) scope_.put_in_environment(variable);
    if (name == "readonly" || has("r")) scope_.fix(variable);
  }
}

// Applies the effect of a builtin to the scope. Returns false if the command is not a builtin.
bool Analyser::builtin(const SimpleCommand& command, const Feed& feed) {
  if (command.remote || !command.program_word.literal()) return false;
  const std::string& name = command.program_word.text;
  const auto& argv = command.argv;
  if (!is_bash(dialect_) &&
      is_one_of(" pushd popd declare typeset mapfile readarray shopt printf ", name))
    return false;
  if (name == "cd" || name == "pushd") {
    enter(target_of(argv));
  } else if (name == "popd") {
    enter({{}, true});
  } else if (is_one_of(" export declare typeset local readonly ", name)) {
    declare(command);
  } else if (is_one_of(" read mapfile readarray getopts let printf wait ", name)) {
    read_into(name, argv, feed);
  } else if (name == "unset") {
    const bool functions = argv.size() > 1 && argv[1].text.rfind("-f", 0) == 0;
    for (std::size_t at = 1; at < argv.size(); ++at) {
      if (!functions) forget_named(argv[at], "");
      scope_.remove_function(argv[at].text);
    }
  } else if (name == "shopt") {
    const auto last_pipe = [](const Value& word) {
      return !word.literal() || word.text == "lastpipe";
    };
    if (std::any_of(argv.begin(), argv.end(), last_pipe)) doubt(Doubt::kUnparsed, "shopt lastpipe");
  } else if (name == "set") {
    for (std::size_t at = 1; at < argv.size(); ++at) {
      const std::string& text = argv[at].text;
      if (argv[at].starts_unknown()) {
        scope_.set_positional(std::nullopt);
        break;
      }
      const bool dashes = text == "--";
      if (!dashes && !text.empty() && (text[0] == '-' || text[0] == '+')) {
        if (text.back() == 'o' && text.size() > 1) ++at;
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
    if (argv.size() > 1) doubt(Doubt::kUnparsed, "an alias");
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
      doubt_next(Doubt::kUnansweredPath, path);
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
    Variable variable;
    variable.values.emplace_back();
    variable.values.back().text = known_cwd();
    if (variable.values.back().text.empty()) return scope_.forget(name);
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
    if (variable == nullptr || !variable->is_one()) return unknown;
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
  if (!climbs) return made;
  for (std::string& path : reached(scope_.cwd(), to).paths) {
    const auto same = [&](const std::string& each) {
      return each == path || (place_.resolve && place_.resolve(each) == path);
    };
    if (std::none_of(made.paths.begin(), made.paths.end(), same))
      made.paths.push_back(std::move(path));
  }
  return made;
}

}  // namespace gibbous::command
