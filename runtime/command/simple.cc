// Simple commands: assignments, the program and its words, the paths and hosts that they name, and
// what the shell itself does with a builtin.
#include <algorithm>
#include <utility>

#include "runtime/command/analyser.h"

namespace gibbous::command {
namespace {

constexpr std::size_t kMaxFunctionDepth = 32;
constexpr std::size_t kMaxPrintedWords = 1024;
constexpr std::size_t kMaxDetail = 120;
constexpr std::size_t kWordCost = 64;   // in bytes of text
constexpr std::size_t kMaxChoices = 8;  // of words with alternatives, for one command

Value hole_value(const std::string& text) {
  Value value;
  value.text = text;
  value.holes.push_back(
      {Value::Hole::Kind::kUnknown, false, 0, static_cast<std::uint32_t>(text.size())});
  return value;
}

std::string base_name(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

// The letters that separate bidirectional text, and those that nobody sees.
bool invisible(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t offset) {
    return at + offset < text.size() ? static_cast<unsigned char>(text[at + offset]) : 0U;
  };
  if (byte(0) == 0xE2 && byte(1) == 0x80)
    return (byte(2) >= 0x8B && byte(2) <= 0x8F) || (byte(2) >= 0xAA && byte(2) <= 0xAE);
  if (byte(0) == 0xE2 && byte(1) == 0x81) return byte(2) >= 0xA0 && byte(2) <= 0xA9;
  return byte(0) == 0xEF && byte(1) == 0xBB && byte(2) == 0xBF;
}

}  // namespace

bool is_name(std::string_view text) {
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
  return std::all_of(text.begin(), text.end(), [](char each) {
    const auto byte = static_cast<unsigned char>(each);
    return byte < 0x80 && (std::isalnum(byte) != 0 || each == '_');
  });
}

bool all_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char each) { return each >= ' ' && each < 0x7F; });
}

void Analyser::simple(const Node& node, const Feed& outer) {
  printed_ = {};
  SimpleCommand base;
  base.range = node.range;
  base.source = source_;
  if (!code_base_.empty()) {
    base.wrappers = code_base_.back().wrappers;
    base.privileged = code_base_.back().privileged;
    base.remote = code_base_.back().remote;
  }
  const Scope::Mark begin = scope_.mark();
  std::vector<std::pair<std::string, std::optional<Variable>>> before;
  for (const Assignment& assignment : node.assignments) {
    NamedValue made;
    made.exported = !node.words.empty();
    const Variable* now = scope_.find(assignment.name);
    before.emplace_back(assignment.name,
                        now == nullptr ? std::nullopt : std::optional<Variable>(*now));
    assign(assignment, &made);
    base.assignments.push_back(std::move(made));
  }
  std::vector<Arg> args;
  for (const Word& word : node.words) {
    if (full()) return;
    for (Arg& arg : fields(word)) args.push_back(std::move(arg));
  }
  const Feed feed = apply_redirections(node.redirections, outer, &base.accesses);
  if (args.empty()) {
    SimpleCommand command = std::move(base);
    Value word;
    word.text = ":";
    word.range = node.range;
    word.source = source_;
    command.program = ":";
    command.program_word = word;
    command.argv.push_back(std::move(word));
    // Only a variable that makes programs run something is worth a command of its own.
    const bool executes =
        std::any_of(command.assignments.begin(), command.assignments.end(),
                    [&](const NamedValue& each) { return executing(each) != nullptr; });
    if (executes || !command.accesses.empty()) emit(std::move(command), Arguments{}, feed);
  } else {
    const bool forgets = !before.empty() && ends_with_command(args);
    run(std::move(args), std::move(base), feed);
    // What stood before a program was for that program.
    for (auto& [name, variable] : before) {
      if (!forgets) break;
      if (variable) {
        scope_.set(name, std::move(*variable));
      } else {
        scope_.forget(name);
      }
    }
  }
  if (!node.redirections.empty()) {
    const auto opens = [](const Redirection& each) {
      const auto& parts = each.target.parts;
      const bool null = parts.size() == 1 && parts[0].text == "/dev/null";
      return each.op != Redirection::Op::kHere && each.op != Redirection::Op::kHereString && !null;
    };
    if (std::any_of(node.redirections.begin(), node.redirections.end(), opens))
      scope_.merge_variables(begin);
    for (const Redirection& each : node.redirections) {
      if (!each.fd_variable.empty()) scope_.forget(each.fd_variable);
    }
  }
}

// A program, or a builtin, of which it is known that assignments before it end with it.
bool Analyser::ends_with_command(const std::vector<Arg>& args) {
  const Value& word = args[0].value;
  if (!word.literal() || (args.size() > 1 && args[1].alternative)) return false;
  static constexpr std::string_view kSpecial =
      " . : eval source exec exit export readonly return set shift trap unset times break continue "
      "local declare typeset alias command builtin ";
  if (kSpecial.find(" " + word.text + " ") != std::string_view::npos) return false;
  return scope_.function(word.text) == nullptr && aliases_.count(word.text) == 0;
}

void Analyser::assign(const Assignment& assignment, NamedValue* made) {
  if (!assignment.subscript.empty()) arithmetic(assignment.subscript);
  const Variable* was = scope_.find(assignment.name);
  if (was != nullptr && was->values.size() > 1 && !spend(was->values.size() * kWordCost)) return;
  Variable variable;
  if (assignment.array) {
    variable.array = true;
    for (const Word& word : assignment.elements) {
      const bool keyed =
          !word.parts.empty() && !word.parts[0].quoted && slice(word.range).rfind('[', 0) == 0;
      for (Arg& arg : fields(word)) {
        check_evaluated(arg.value);
        const auto several = [](const Value::Hole& hole) {
          return hole.splits || hole.kind == Value::Hole::Kind::kGlob;
        };
        variable.unknown = variable.unknown || arg.alternative || keyed ||
                           std::any_of(arg.value.holes.begin(), arg.value.holes.end(), several);
        variable.values.push_back(std::move(arg.value));
      }
    }
    made->value.text = slice(assignment.range);
    if (assignment.append) {
      const Variable* before = scope_.find(assignment.name);
      if (before == nullptr) {
        variable.unknown = true;
      } else {
        variable.unknown = variable.unknown || before->unknown;
        variable.values.insert(variable.values.begin(), before->values.begin(),
                               before->values.end());
      }
    }
  } else {
    variable.values = values(assignment.value);
    made->value = variable.values.size() == 1 ? variable.values[0]
                                              : hole_value(slice(assignment.value.range));
    if (assignment.append && !assignment.subscripted) {
      const Variable* before = scope_.find(assignment.name);
      const bool known = before != nullptr && !before->unknown && before->values.size() == 1 &&
                         variable.values.size() == 1 && !before->array;
      if (known) {
        Value whole = before->values[0];
        const auto offset = static_cast<std::uint32_t>(whole.text.size());
        whole.text += variable.values[0].text;
        for (Value::Hole hole : variable.values[0].holes) {
          hole.begin += offset;
          hole.end += offset;
          whole.holes.push_back(hole);
        }
        if (!spend(whole.text.size())) return;
        variable.values = {whole};
        made->value = std::move(whole);
      } else {
        variable = {};
        variable.unknown = true;
      }
    }
    for (const Value& value : variable.values) {
      const std::size_t bracket = value.text.find('[');
      if (bracket == std::string::npos || !value.literal()) continue;
      const bool runs = value.text.find("$(", bracket) != std::string::npos ||
                        value.text.find('`', bracket) != std::string::npos;
      if (runs) doubt(Doubt::kEvaluatedText, assignment.range, value.text);
    }
    const Variable* old = scope_.find(assignment.name);
    if (!assignment.append && old != nullptr && old->array) {  // its first element only
      variable.unknown = true;
      variable.array = true;
    }
  }
  made->name = assignment.name;
  made->value.source = source_;
  made->value.range = assignment.range;
  // NAME=value before a command counts for that command only; what it expands to there is the
  // value from before. Yet functions and eval see it, so it is set in any case.
  if (assignment.subscripted) {
    scope_.forget(assignment.name);
  } else if (made->exported) {
    variable.exported = true;
    const Scope::Mark mark = scope_.mark();
    scope_.set(assignment.name, std::move(variable));
    scope_.merge(mark);
  } else {
    scope_.set(assignment.name, std::move(variable));
  }
}

// One command: `args` is what follows the assignments. Wrappers come back here with less.
void Analyser::run(std::vector<Arg> args, SimpleCommand base, const Feed& feed) {
  if (args.empty() || full()) return;
  // In a wrapper each word is looked at once more.
  if (depth_ > 1 && !spend(args.size() * kWordCost)) return;
  if (depth_ > limits_.depth) {
    spend(limits_.code_bytes * 64);
    return;
  }
  // The program may be one of several: each is tried.
  if (args.size() > 1 && args[1].alternative) {
    std::vector<Arg> rest = args;
    rest.erase(rest.begin());
    std::vector<Arg> alone = args;
    std::size_t end = 1;
    while (end < args.size() && args[end].alternative) ++end;
    alone.erase(alone.begin() + 1, alone.begin() + static_cast<std::ptrdiff_t>(end));
    rest[0].alternative = false;
    ++depth_;
    run(std::move(alone), base, feed);
    run(std::move(rest), std::move(base), feed);
    --depth_;
    return;
  }
  args[0].alternative = false;
  if (run_alternatives(args, base, feed)) return;
  SimpleCommand command = std::move(base);
  command.program_word = args[0].value;
  command.program = command.program_word.literal() ? base_name(command.program_word.text) : "";
  command.nesting = nesting_;
  command.argv.clear();
  for (const Arg& arg : args) command.argv.push_back(arg.value);

  const bool plain_name = command.program_word.text.find('/') == std::string::npos;
  const bool bypasses = !command.wrappers.empty() && !command.program.empty();
  if (plain_name && !bypasses && !command.program.empty()) {
    const auto alias = aliases_.find(command.program);
    if (alias != aliases_.end()) {
      Value text;
      text.text = alias->second;
      for (std::size_t at = 1; at < command.argv.size(); ++at)
        text.text += " " + command.argv[at].text;
      const std::string name = alias->first;
      const std::string body = alias->second;
      aliases_.erase(name);  // an alias is not expanded in itself
      shell_code(text, command, "alias", feed);
      aliases_[name] = body;
    }
    const Function* function = scope_.function(command.program);
    const bool certain = function != nullptr && function->certain && shells_ == 0;
    if (function != nullptr && call_function(command.program, command.argv, command, feed) &&
        certain)
      return;
  }

  const ProgramSpec* spec = command.program.empty() ? nullptr : knowledge_.find(command.program);
  command.known_program = spec != nullptr;
  Arguments arguments = split_arguments(command.argv, spec);
  if (carry(&command, &args, &arguments, feed)) return;
  if (spec == nullptr && !command.program.empty()) guess(command, args, feed);
  builtin(command, args, feed);
  add_accesses(arguments, &command);
  add_hosts(arguments, &command);
  emit(std::move(command), arguments, feed);
}

// Where it counts which word stands where, each choice of alternatives is a command of its own.
bool Analyser::run_alternatives(const std::vector<Arg>& args, const SimpleCommand& base,
                                const Feed& feed) {
  const auto alternative = [](const Arg& arg) { return arg.alternative; };
  if (std::none_of(args.begin(), args.end(), alternative) || !args[0].value.literal()) return false;
  const std::string name = base_name(args[0].value.text);
  const ProgramSpec* spec = knowledge_.find(name);
  const bool places = scope_.function(name) != nullptr || name == "cd" || name == "pushd" ||
                      name == "set" || name == "alias" ||
                      (spec != nullptr && (!spec->runs.empty() || spec->prints));
  if (!places) return false;
  std::vector<std::vector<Arg>> all(1);
  for (std::size_t at = 0; at < args.size();) {
    std::size_t end = at + 1;
    while (end < args.size() && args[end].alternative) ++end;
    if (all.size() * (end - at) > kMaxChoices) {  // too many: not known
      Arg unknown = args[at];
      unknown.value = hole_value(args[at].value.text);
      unknown.value.range = args[at].value.range;
      for (std::vector<Arg>& each : all) each.push_back(unknown);
    } else {
      std::vector<std::vector<Arg>> next;
      for (const std::vector<Arg>& each : all) {
        for (std::size_t choice = at; choice < end; ++choice) {
          next.push_back(each);
          next.back().push_back(args[choice]);
          next.back().back().alternative = false;
          spend(args.size());
        }
      }
      all = std::move(next);
    }
    at = end;
  }
  ++depth_;
  for (std::vector<Arg>& each : all) {
    const Scope::Mark mark = scope_.mark();
    run(std::move(each), base, feed);
    if (all.size() > 1) scope_.merge(mark);
  }
  if (all.size() > 1) {  // which of them printed is not known
    printed_.words.reset();
    printed_.text.reset();
  }
  --depth_;
  return true;
}

void Analyser::emit(SimpleCommand command, const Arguments& arguments, const Feed& feed) {
  if (facts_.commands.size() >= limits_.commands) {
    spend(limits_.code_bytes * 64);
    return;
  }
  check_assignments(command);
  const int index = static_cast<int>(facts_.commands.size());
  command.nesting = nesting_;
  if (command.fed_by.empty()) command.fed_by = feed.programs;
  command.subcommand = arguments.subcommand;
  command.operands = arguments.operands;
  command.options = arguments.options;
  command.known_program = arguments.program != nullptr;
  const Directory& cwd = scope_.cwd();
  if (cwd.paths.size() == 1 && !cwd.unknown) command.cwd = cwd.paths[0];
  for (const Nesting& each : nesting_) {
    command.guessed = command.guessed || each.kind == Nesting::Kind::kGuess ||
                      each.kind == Nesting::Kind::kLiteral;
  }
  check_name(command, index);
  print_output(command, arguments, feed);
  note_files(command, index);
  if (done_) return;
  facts_.commands.push_back(std::move(command));
}

// A program that the line itself may have written.
void Analyser::note_files(const SimpleCommand& command, int index) {
  for (const Access& access : command.accesses) {
    if (access.kind == AccessKind::kWrite) {
      if (access.path == "/dev/null") continue;
      written_unknown_ = written_unknown_ || access.path.empty() ||
                         (access.classes & (kPartlyKnown | kUnknownPath)) != 0;
      written_.insert(access.path);
    } else if (access.kind == AccessKind::kExecute && !done_ &&
               executed_.size() < limits_.commands) {
      executed_.push_back({access.path,
                           {Doubt::kUnreadFile, index, source_, access.range,
                            access.written + ", written by this line"}});
    }
  }
}

void Analyser::check_name(const SimpleCommand& command, int index) {
  const Value& word = command.program_word;
  if (!word.literal()) {
    doubt(Doubt::kUnknownProgram, word.range, word.text, index);
    return;
  }
  if (word.text.empty() || !all_ascii(word.text))
    doubt(Doubt::kEncoding, word.range, word.text, index);
}

const VariableSpec* Analyser::executing(const NamedValue& assignment) const {
  for (const VariableSpec& spec : knowledge_.variables) {
    if (!component_match(spec.name, assignment.name)) continue;
    const bool safe =
        assignment.value.literal() && spec.safe != nullptr && is_safe(spec, assignment.value.text);
    return safe ? nullptr : &spec;
  }
  return nullptr;
}

// Variables that make programs run something: what they hold is code of its own, and comes first.
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
    shell_code(each.value, base, each.name, {});
  }
  for (const NamedValue* each : found) {
    doubt(Doubt::kExecutingVariable, each->value.range, each->name + "=" + each->value.text,
          static_cast<int>(facts_.commands.size()));
  }
}

// The variable that a word names: "x", "x=1", "x[0]", "-vx"; any, when it is not known.
void Analyser::forget_named(const Value& word) {
  if (word.starts_unknown()) {
    scope_.forget_all();
    return;
  }
  for (const std::size_t from : {std::size_t{0}, std::size_t{2}}) {
    if (from > 0 && (word.text.size() <= from || word.text[0] != '-')) return;
    // In a cluster of options the name begins anywhere.
    std::size_t at = from;
    do {
      const std::string rest = word.text.substr(at);
      const std::string name = rest.substr(0, rest.find_first_of("=[+-"));
      if (is_name(name)) scope_.forget(name);
      ++at;
    } while (from > 0 && at < std::min<std::size_t>(word.text.size(), kMaxChoices));
  }
}

// Which word is which is known up to the first that may be several, or none.
void Analyser::set_positional(const std::vector<Value>& argv, std::size_t from) {
  for (std::size_t at = from; at < argv.size(); ++at) {
    check_evaluated(argv[at]);
    for (const Value::Hole& hole : argv[at].holes) {
      if (!hole.splits && hole.kind != Value::Hole::Kind::kGlob) continue;
      scope_.set_positional(std::nullopt);
      return;
    }
  }
  scope_.set_positional(
      std::vector<Value>(argv.begin() + static_cast<std::ptrdiff_t>(from), argv.end()));
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
      scope_.forget_all();
      continue;
    }
    const std::size_t end = word.text.find_first_of("=+[");
    const std::string variable = word.text.substr(0, end);
    if (!is_name(variable)) continue;
    if (local) {
      const Variable* now = scope_.find(variable);
      active_.back().locals.emplace_back(
          variable, now == nullptr ? std::nullopt : std::optional<Variable>(*now));
    }
    if (has("n")) doubt(Doubt::kEvaluatedText, word.range, "a reference: " + word.text);
    const bool distorts = has("niluc");
    const bool known = word.holes.empty() || word.holes[0].begin > end;
    const bool assigns = end != std::string::npos && word.text[end] == '=';
    if (distorts) {
      scope_.distort(variable);
    } else if (!assigns) {
      // Of a new local variable nothing is known; an append changes what was there.
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
    if (exports) scope_.put_in_environment(variable);
    if (fixes) scope_.fix(variable);
  }
}

// What the shell itself does when this command runs.
bool Analyser::builtin(const SimpleCommand& command, const std::vector<Arg>& args,
                       const Feed& feed) {
  if (command.remote || !command.program_word.literal()) return false;
  const std::string& name = command.program_word.text;
  const auto& argv = command.argv;
  if (name == "cd" || name == "pushd") {
    change_directory(argv);
  } else if (name == "popd") {
    scope_.enter({{}, true});
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
    if (feed.text && (name == "read" || name == "mapfile" || name == "readarray")) {
      Value text = *feed.text;
      text.quoted = true;
      check_evaluated(text);
    }
    const bool prints = name == "printf" && (argv.size() < 2 || argv[1].text.rfind("-v", 0) != 0);
    for (std::size_t at = 1; at < argv.size() && !prints; ++at) {
      forget_named(argv[at]);
      if (name == "printf") check_evaluated(argv[at]);
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
    for (std::size_t at = 1; at < argv.size(); ++at) {
      const std::size_t equals = argv[at].text.find('=');
      if (equals == std::string::npos) continue;
      const std::string alias = argv[at].text.substr(0, equals);
      const Value body = tail_of(argv[at], equals + 1);
      // The word behind it is an alias too; or it is no whole command.
      const bool open =
          body.text.empty() || body.text.find_last_of(" \t\n#'\"`({\\") == body.text.size() - 1;
      if (open || knowledge_.find(alias) != nullptr)
        doubt(Doubt::kRedefinition, argv[at].range, argv[at].text);
      if (aliases_.size() < limits_.commands) aliases_[alias] = body.text;
      const Scope::Mark mark = scope_.mark();
      shell_code(body, command, "alias", {});
      scope_.merge(mark);
    }
  } else {
    return false;
  }
  return true;
}

void Analyser::change_directory(const std::vector<Value>& argv) {
  std::size_t at = 1;
  while (at < argv.size() && argv[at].text.size() > 1 && argv[at].text[0] == '-') ++at;
  if (at < argv.size() && argv[at].text == "--") ++at;
  if (at >= argv.size()) {
    const Variable* home = scope_.find("HOME");
    const bool known =
        home != nullptr && !home->unknown && home->values.size() == 1 && home->values[0].literal();
    scope_.enter(known ? Directory{{normalize(home->values[0].text)}, false} : Directory{{}, true});
    return;
  }
  const Value& to = argv[at];
  const Variable* before = scope_.find("OLDPWD");
  if (to.text == "-" && before != nullptr && !before->unknown && before->values.size() == 1) {
    const std::string path = before->values[0].text;
    scope_.enter({{path}, false});
    return;
  }
  const Directory from = scope_.cwd();
  if (from.paths.size() == 1 && !from.unknown) {
    Variable old;
    Value value;
    value.text = from.paths[0];
    old.values.push_back(value);
    scope_.set("OLDPWD", std::move(old));
  } else {
    scope_.forget("OLDPWD");
  }
  if (!to.literal() || to.text == "-" || to.text.empty()) {
    scope_.enter({{}, true});
    return;
  }
  Directory made;
  if (to.text[0] == '/') {
    made.paths.push_back(normalize(to.text));
  } else {
    made.unknown = from.unknown;
    for (const std::string& each : from.paths) made.paths.push_back(join(each, to.text));
  }
  if (made.paths.size() == 1 && !made.unknown) {
    Variable now;
    Value value;
    value.text = made.paths[0];
    now.values.push_back(value);
    scope_.set("PWD", std::move(now));
  } else {
    scope_.forget("PWD");
  }
  scope_.enter(std::move(made));
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
    for (const Value& word : argv) check_evaluated(word);
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
  const auto positional = scope_.positional();
  const Scope::Mark mark = scope_.mark();
  note_redirections(base.accesses, base.range);
  bool calls_itself = false;
  bool at_once = false;
  const auto call = [&](const Function::Body& body, bool again) {
    if (!dry_) walked_bodies_.insert(body.node);
    active_.push_back({name, body.node, 0, false, nesting_.size() + 1, depth_ + 1, {}});
    if (argv.empty() || again) {
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
    // Its local variables are what they were; or not, when it did not come to declare them.
    for (std::size_t at = ended.locals.size(); at-- > 0;) {
      const auto& [variable, before] = ended.locals[at];
      const Scope::Mark changed = scope_.mark();
      if (before) {
        scope_.set(variable, *before);
        scope_.merge(changed);
      } else {
        scope_.forget(variable);
      }
    }
    calls_itself = calls_itself || ended.calls_itself > 0;
    at_once = at_once || (ended.calls_itself > 0 && ended.at_once);
  };
  const std::size_t bodies = function.bodies.size();
  for (const Function::Body& body : function.bodies) {
    if (full()) break;
    const Scope::Mark one = scope_.mark();
    const Kept kept = keep();
    dry_ = kept.dry;
    calls_itself = false;
    call(body, false);
    if (calls_itself) {  // with whatever words, and after whatever it did
      const Scope::Turn left = scope_.turn(one);
      scope_.restore(one);
      take_back(kept);
      scope_.loosen(left);
      call(body, true);
    }
    if (bodies > 1) scope_.merge(one);
  }
  scope_.set_positional(positional);
  if (!function.certain) scope_.merge(mark);
  if (at_once) doubt(Doubt::kForkBomb, base.range, name);
  return true;
}

// --- Paths and hosts ----------------------------------------------------------------------------

void Analyser::add_accesses(const Arguments& arguments, SimpleCommand* command) {
  const ProgramSpec* spec = arguments.spec;
  // make -C DIR, git -C DIR: paths begin there.
  Directory from = scope_.cwd();
  const auto enter = [&](const ProgramSpec* each) {
    if (each == nullptr || each->cwd.empty()) return;
    for (const Selected& selected : select(command->argv, arguments, each->cwd)) {
      add_access(AccessKind::kEnter, false, selected.value, selected.argument, false, from,
                 &command->accesses);
      Directory next;
      if (!selected.value.literal()) {
        next.unknown = true;
      } else if (selected.value.text.rfind('/', 0) == 0) {
        next.paths = {normalize(selected.value.text)};
      } else {
        next.unknown = from.unknown;
        for (const std::string& path : from.paths)
          next.paths.push_back(join(path, selected.value.text));
      }
      from = std::move(next);
    }
  };
  enter(arguments.program);
  if (arguments.program != spec) enter(spec);
  if (command->program_word.text.find('/') != std::string::npos) {
    add_access(AccessKind::kExecute, false, command->program_word, 0, false, scope_.cwd(),
               &command->accesses);
  }
  const auto apply = [&](const ProgramSpec* each) {
    if (each == nullptr) return;
    const bool recursive = any_flag(command->argv, arguments, each->recursive);
    for (const AccessSpec& access : each->accesses) {
      if (!access.when.empty() && !any_flag(command->argv, arguments, access.when)) continue;
      if (any_flag(command->argv, arguments, access.unless)) continue;
      for (const Selected& selected : select(command->argv, arguments, access.selectors)) {
        add_access(access.kind, recursive || access.recursive, selected.value, selected.argument,
                   false, from, &command->accesses);
      }
    }
  };
  apply(spec);
  if (arguments.program != spec) apply(arguments.program);
}

void Analyser::add_access(AccessKind kind, bool recursive, const Value& value, int argument,
                          bool redirection, const Directory& from, std::vector<Access>* into) {
  const std::string& text = value.text;
  if (text.empty() || (text == "-" && value.literal() && !redirection)) return;
  if (!spend(text.size() + 16)) return;
  Access made;
  made.kind = kind;
  made.recursive = recursive;
  made.redirection = redirection;
  made.written = text.substr(0, kMaxDetail);
  made.argument = argument;
  made.range = value.range;

  // Up to the last / in front of the first hole it is known.
  PathQuestion question;
  question.recursive = recursive;
  std::string known = text;
  if (!value.holes.empty()) {
    const Value::Hole& hole = value.holes.front();
    const std::size_t slash = hole.begin == 0 ? std::string::npos : text.rfind('/', hole.begin - 1);
    const bool glob = hole.kind == Value::Hole::Kind::kGlob;
    if (hole.begin == 0 && !glob) {
      made.classes = made.own = kUnknownPath;
      into->push_back(std::move(made));
      return;
    }
    const std::size_t first = slash == std::string::npos ? 0 : slash + 1;
    const std::size_t end = std::min(text.find('/', first), text.size());
    const bool only_globs =
        std::all_of(value.holes.begin(), value.holes.end(),
                    [](const Value::Hole& each) { return each.kind == Value::Hole::Kind::kGlob; });
    const std::string component = text.substr(first, end - first);
    question.hole = true;
    if (only_globs) question.pattern = component;
    const bool everything = component.find_first_not_of("*.?") == std::string::npos;
    question.contents = only_globs && everything && end == text.size();
    known = text.substr(0, first);
    if (known.empty()) known = ".";
  }
  const auto add = [&](const std::string& absolute) {
    Access each = made;
    std::string path = absolute;
    if (place_.resolve) {
      // What is removed is the link, not what it leads to.
      const bool itself = kind == AccessKind::kRemove && !question.hole && path.size() > 1;
      const std::size_t slash = path.rfind('/');
      const std::string head = itself ? (slash == 0 ? "/" : path.substr(0, slash)) : path;
      auto found = resolved_.find(head);
      if (found == resolved_.end()) found = resolved_.emplace(head, place_.resolve(head)).first;
      path = itself ? join(found->second, path.substr(slash + 1)) : found->second;
    }
    question.path = path;
    each.classes = map_->classify(question, &each.own);
    if (path != absolute) {  // by the name that was written it may be of other classes too
      question.path = absolute;
      const PathClasses of_policy = ~((PathClasses{1} << kFirstOwnClass) - 1);
      PathClasses itself = 0;
      each.classes |= map_->classify(question, &itself) & of_policy;
      each.own |= itself & of_policy;
    }
    each.contents = question.contents;
    each.path = std::move(path);
    into->push_back(std::move(each));
  };
  if (known[0] == '/') {
    add(normalize(known));
    return;
  }
  for (const std::string& directory : from.paths) add(join(directory, known));
  if (from.unknown || from.paths.empty()) {
    made.classes = made.own = kUnknownPath;
    into->push_back(std::move(made));
  }
}

// "https://user@host:80/path", "user@host:path", "host:80", "host"
void Analyser::add_hosts(const Arguments& arguments, SimpleCommand* command) {
  const ProgramSpec* spec = arguments.spec;
  if (spec == nullptr || spec->hosts.empty()) return;
  for (const Selected& selected : select(command->argv, arguments, spec->hosts)) {
    const Value& value = selected.value;
    std::string text = value.text;
    const std::size_t scheme = text.find("://");
    std::size_t begin = scheme == std::string::npos ? 0 : scheme + 3;
    std::size_t end = std::min(text.find_first_of("/?#", begin), text.size());
    if (scheme == std::string::npos && begin == 0 && text.find('/') == 0) continue;  // a path
    const std::size_t at = text.rfind('@', end);
    if (at != std::string::npos && at >= begin && at < end) begin = at + 1;
    const bool known = value.literal() || value.holes.front().begin >= end;
    if (!known) {
      command->hosts.emplace_back("");
      continue;
    }
    std::string host = text.substr(begin, end - begin);
    if (!host.empty() && host[0] == '[') {
      host = host.substr(1, host.find(']') - 1);
    } else if (std::count(host.begin(), host.end(), ':') == 1) {
      host.resize(host.find(':'));
    }
    std::transform(host.begin(), host.end(), host.begin(),
                   [](unsigned char each) { return static_cast<char>(std::tolower(each)); });
    command->hosts.push_back(std::move(host));
  }
}

// What the next command of a pipeline would read.
void Analyser::print_output(const SimpleCommand& command, const Arguments& arguments,
                            const Feed& feed) {
  printed_ = {};
  const ProgramSpec* spec = arguments.spec;
  if (spec == nullptr) return;
  printed_.decodes = spec->decodes && (spec->decodes_when.empty() ||
                                       any_flag(command.argv, arguments, spec->decodes_when));
  const auto redirected = [](const Access& access) {
    return access.redirection && access.kind == AccessKind::kWrite;
  };
  if (std::any_of(command.accesses.begin(), command.accesses.end(), redirected)) return;
  if (spec->prints) {
    std::vector<Value> words;
    Value text;
    for (std::size_t at = 1; at < command.argv.size(); ++at) {
      const Value& word = command.argv[at];
      if (words.size() >= kMaxPrintedWords) return;
      const bool option =
          words.empty() && word.text.size() > 1 && word.text[0] == '-' && word.literal();
      if (option && command.program != "printf") continue;
      // What echo makes of a backslash depends on who echo is.
      const bool unclear = command.program != "printf" && word.text.find('\\') != std::string::npos;
      words.push_back(unclear ? hole_value(word.text) : word);
      if (words.size() > 1) text.text += ' ';
      if (unclear) {
        text.holes.push_back({Value::Hole::Kind::kUnknown, false,
                              static_cast<std::uint32_t>(text.text.size()),
                              static_cast<std::uint32_t>(text.text.size() + word.text.size())});
        text.text += word.text;
        continue;
      }
      const auto offset = static_cast<std::uint32_t>(text.text.size());
      text.text += word.text;
      for (Value::Hole hole : word.holes) {
        hole.begin += offset;
        hole.end += offset;
        text.holes.push_back(hole);
      }
      if (!spend(word.text.size())) return;
    }
    if (command.program == "printf" && !words.empty()) {
      // The format, with what it says of its arguments filled in as far as that is plain.
      text = formatted(words);
      words.erase(words.begin());
      if (words.empty()) words.push_back(text);
    }
    printed_.words = std::move(words);
    printed_.text = std::move(text);
    return;
  }
  if (spec->lists) {
    printed_.words = listed_below(arguments, command);
    return;
  }
  // cat, tee: what comes in goes out.
  const bool passes =
      (command.program == "cat" && command.operands.empty() && command.options.empty()) ||
      command.program == "tee";
  if (passes) {
    printed_.words = feed.words;
    printed_.text = feed.text;
  }
}

void Analyser::doubt(Doubt kind, Range range, std::string detail, int command) {
  if (facts_.doubts.size() >= limits_.commands || done_) return;
  if (detail.size() > kMaxDetail) detail = detail.substr(0, kMaxDetail - 3) + "...";
  facts_.doubts.push_back({kind, command, source_, range, std::move(detail)});
}

bool has_invisible(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte < 0x80) {
      if ((byte < ' ' && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7F) return true;
    } else if (invisible(text, at)) {
      return true;
    }
  }
  return false;
}

}  // namespace gibbous::command
