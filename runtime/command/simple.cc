// Simple commands: their assignments, program and words, and the facts about them.
#include <algorithm>
#include <utility>

#include "runtime/base/shell_quote.h"
#include "runtime/command/analyser.h"

namespace gibbous::command {
namespace {

constexpr std::size_t kMaxPrintedWords = 1024;
constexpr std::size_t kWordCost = 64;  // in bytes of text
constexpr std::size_t kNestedWordCost = 192;
constexpr std::size_t kNestingCost = 16;
constexpr std::size_t kMaxInputShown = 4096;
constexpr std::size_t kMaxChoices = 8;  // of words with alternatives, for one command

// Returns true for NAME=value among the words behind export and the like.
bool is_declared(const std::vector<Arg>& before, const Word& word) {
  const auto is_one_of = [](std::string_view names, const std::string& name) {
    return names.find(" " + name + " ") != std::string_view::npos;
  };
  std::size_t at = 0;
  while (at < before.size() && is_one_of(" command builtin ", before[at].value.text)) ++at;
  if (at == before.size() ||
      !is_one_of(" export readonly local declare typeset ", before[at].value.text))
    return false;
  const auto is_brace = [](const Part& part) { return part.kind == Part::Kind::kBraceOpen; };
  if (word.parts.empty() || word.parts[0].kind != Part::Kind::kText || word.parts[0].quoted ||
      std::any_of(word.parts.begin(), word.parts.end(), is_brace))
    return false;
  const std::string& text = word.parts[0].text;
  const std::size_t end = text.find_first_of("=+[");
  return end != std::string::npos && is_name(std::string_view(text).substr(0, end));
}

}  // namespace

Value hole_value(const std::string& text) {
  Value value;
  value.text = text;
  value.holes.push_back(
      {Value::Hole::Kind::kUnknown, false, 0, static_cast<std::uint32_t>(text.size())});
  return value;
}

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
    base.started_by = code_base_.back().started_by;
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
    std::vector<Arg> made = fields(word);
    if (made.size() > 1 && is_declared(args, word)) {
      // Bash does not split it; others differ, and so does a bash that cannot tell what this is.
      const bool plain = args.size() == 1 && !args[0].value.quoted;
      Arg whole;
      if (plain && dialect_ == Dialect::kBash) {
        whole.value = one(word);
      } else {
        whole.value = hole_value(slice(word.range));
        whole.value.holes[0].begin = static_cast<std::uint32_t>(whole.value.text.find('=') + 1);
      }
      for (const Arg& part : made) flow(whole.value.text, part.value);
      whole.value.range = word.range;
      whole.value.source = source_;
      made.assign(1, std::move(whole));
    }
    for (Arg& arg : made) args.push_back(std::move(arg));
  }
  const Feed feed = apply_redirections(node.redirections, outer, &base.accesses);
  if (args.empty()) {
    SimpleCommand command = std::move(base);
    command.cwd = known_cwd();
    Value word;
    word.text = ":";
    word.range = node.range;
    word.source = source_;
    command.program = ":";
    command.program_word = word;
    command.argv.push_back(std::move(word));
    for (const NamedValue& each : command.assignments) {
      if (exports_all_ || exported_.count(each.name) > 0)
        add_named(each.value, -1, true, false, scope_.cwd(), &command.accesses);
    }
    facts_.assigns = facts_.assigns || !command.assignments.empty();
    if (!command.accesses.empty()) {
      const Arguments arguments = split_arguments(command.argv, knowledge_.find(":"));
      emit(std::move(command), arguments, feed);
    }
  } else {
    const bool forgets = !before.empty() && ends_with_command(args);
    run(std::move(args), std::move(base), feed);
    // Assignments before a program end with that program; those before a function may, too, and
    // with them what it assigned to the same names.
    for (auto& [name, variable] : before) {
      const Scope::Mark mark = scope_.mark();
      if (variable) {
        scope_.set(name, std::move(*variable));
      } else if (forgets) {
        scope_.forget(name);
      } else {
        scope_.loosen({{name}, false, false});
      }
      if (!forgets) scope_.merge(mark);
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

// Returns true if assignments before the command are certain to end with it.
bool Analyser::ends_with_command(const std::vector<Arg>& args) {
  const Value& word = args[0].value;
  if (!word.literal() || (args.size() > 1 && args[1].alternative)) return false;
  static constexpr std::string_view kSpecial =
      " . : eval source exec exit export readonly return set shift trap unset times break continue "
      "local declare typeset alias command builtin ";
  if (kSpecial.find(" " + word.text + " ") != std::string_view::npos) return false;
  return scope_.function(word.text) == nullptr;
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
        const auto several = [](const Value::Hole& hole) {
          return hole.splits || hole.kind == Value::Hole::Kind::kGlob;
        };
        variable.unknown = variable.unknown || arg.alternative || keyed ||
                           std::any_of(arg.value.holes.begin(), arg.value.holes.end(), several);
        flow(assignment.name, arg.value);
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
    for (const Value& value : variable.values) flow(assignment.name, value);
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
    const Variable* old = scope_.find(assignment.name);
    if (!assignment.append && old != nullptr && old->array) {  // its first element only
      variable.unknown = true;
      variable.array = true;
    }
  }
  made->name = assignment.name;
  made->value.source = source_;
  made->value.range = assignment.range;
  // NAME=value before a command applies to that command only, and its words still see the old
  // value. Functions and eval do see the new one, so it is set in any case.
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

// Analyses one command; `args` follows the assignments. Wrappers call this again with fewer words.
void Analyser::run(std::vector<Arg> args, SimpleCommand base, const Feed& feed) {
  if (args.empty() || full()) return;
  // Each word in a wrapper is examined once more.
  if (depth_ > 1 && !spend(args.size() * kNestedWordCost)) return;
  if (depth_ > limits_.depth) {
    spend(limits_.code_bytes * 64);
    return;
  }
  // The program may be one of several; each is tried.
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
  // The shell resolves a command's paths before the command changes the directory.
  const Directory start = scope_.cwd();
  command.cwd = known_cwd();
  command.program_word = args[0].value;
  command.program = command.program_word.literal() ? base_name(command.program_word.text) : "";
  command.nesting = nesting_;
  command.argv.clear();
  for (const Arg& arg : args) command.argv.push_back(arg.value);

  const bool plain_name = command.program_word.text.find('/') == std::string::npos;
  const bool bypasses = !command.wrappers.empty() && !command.program.empty();
  if (plain_name && !bypasses && !command.program.empty()) {
    const Function* function = scope_.function(command.program);
    const bool certain = function != nullptr && function->certain && shells_ == 0;
    if (function != nullptr && call_function(command.program, command.argv, command, feed) &&
        certain)
      return;
  }

  const ProgramSpec* spec = command.program.empty() ? nullptr : knowledge_.find(command.program);
  if (spec == nullptr && !plain_name && place_.resolve && command.program_word.literal() &&
      scope_.cwd().paths.size() == 1) {
    // ./tool may be a link to a known program.
    const std::string& written = command.program_word.text;
    const std::string path = written[0] == '/' ? written : scope_.cwd().paths[0] + "/" + written;
    const auto resolved =
        path.size() < kMaxDirectoryBytes ? place_.resolve(path) : std::optional<std::string>("");
    if (!resolved)
      doubt(Doubt::kUnansweredPath, command.range, path, static_cast<int>(facts_.commands.size()));
    const std::string real = resolved ? base_name(*resolved) : "";
    if (!real.empty() && real != command.program) spec = knowledge_.find(real);
    if (spec != nullptr) command.program = real;
  }
  command.known_program = spec != nullptr;
  Arguments arguments = split_arguments(command.argv, spec);
  if (carry(&command, &args, &arguments, feed)) {
    note_carrier(std::move(command), arguments);
    return;
  }
  guessed_dangerous_.clear();
  const std::size_t first_guess = facts_.commands.size();
  if (spec == nullptr && !command.program.empty()) guess(command, args, feed);
  const std::string carries = guessed_dangerous_;
  take_exported(&command);
  add_accesses(arguments, start, &command);
  for (const Access& access : command.accesses) {
    const bool own = access.kind == AccessKind::kExecute && access.argument == 0 &&
                     (access.classes & kInWorkspace) != 0;
    for (std::size_t at = first_guess; own && at < facts_.commands.size(); ++at)
      facts_.commands[at].guess_of_own = true;
  }
  add_entered(start, &command);
  add_names(arguments, start, feed, &command);
  add_notes(&command);
  // Most builtins set something; cd only PWD.
  const bool moves = command.program == "cd" || command.program == "pushd";
  if (builtin(command, args, feed) && !moves) facts_.assigns = true;
  flow("_", command.argv.back());
  if (!carries.empty()) {
    doubt(Doubt::kUnknownCommandArgument, command.range, command.program + " " + carries,
          static_cast<int>(facts_.commands.size()));
  }
  const bool computed =
      spec != nullptr && !spec->subcommands.empty() && arguments.subcommand.empty() &&
      !arguments.operands.empty() &&
      command.argv[static_cast<std::size_t>(arguments.operands[0])].starts_unknown();
  if (computed) {
    doubt(Doubt::kUnknownCommandArgument, command.range, command.program,
          static_cast<int>(facts_.commands.size()));
    // It may be any of them, also one that a rule asks about.
    if (!facts_.doubts.empty()) facts_.doubts.back().unheld = true;
  }
  add_hosts(arguments, &command);
  emit(std::move(command), arguments, feed);
}

// Where the position of words matters, each combination of alternatives becomes a separate command.
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
    if (all.size() * (end - at) > kMaxChoices) {  // too many to try
      Arg unknown = args[at];
      unknown.value = hole_value(args[at].value.text);
      unknown.value.range = args[at].value.range;
      for (std::size_t choice = at; choice < end; ++choice)
        flow(unknown.value.text, args[choice].value);
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
  if (all.size() > 1) {  // any of them may have printed
    printed_.words.reset();
    printed_.text.reset();
  }
  --depth_;
  return true;
}

void Analyser::note_carrier(SimpleCommand command, const Arguments& arguments) {
  if (facts_.carriers.size() >= limits_.commands ||
      !spend(command.argv.size() + kWordCost + nesting_.size() * kNestingCost)) {
    return;
  }
  command.accesses.clear();    // those of the command that it starts
  command.privileged = false;  // as are the rights
  command.subcommand = arguments.subcommand;
  command.operands = arguments.operands;
  command.options = arguments.options;
  facts_.carriers.push_back(std::move(command));
}

void Analyser::emit(SimpleCommand command, const Arguments& arguments, const Feed& feed) {
  if (facts_.commands.size() >= limits_.commands) {
    spend(limits_.code_bytes * 64);
    return;
  }
  if (!spend(kWordCost + nesting_.size() * kNestingCost)) return;
  const int index = static_cast<int>(facts_.commands.size());
  command.nesting = nesting_;
  if (command.fed_by.empty()) command.fed_by = feed.programs;
  command.subcommand = arguments.subcommand;
  command.operands = arguments.operands;
  command.options = arguments.options;
  command.known_program = arguments.program != nullptr;
  if (feed.text && feed.text->has_unknown())
    command.unknown_input = feed.text->text.substr(0, kMaxInputShown);
  command.holds = given_to(command, feed);  // finish() follows them to the names
  for (const Nesting& each : nesting_) {
    command.guessed = command.guessed || each.kind == Nesting::Kind::kGuess ||
                      each.kind == Nesting::Kind::kLiteral;
  }
  check_name(command, index);
  print_output(command, arguments, feed);
  if (done_) return;
  facts_.commands.push_back(std::move(command));
}

// export PAGER='rm -rf /' sets PAGER as PAGER='rm -rf /' does.
void Analyser::take_exported(SimpleCommand* command) {
  const std::string& name = command->program;
  if (name != "export" && name != "declare" && name != "typeset" && name != "readonly" &&
      name != "local")
    return;
  for (std::size_t at = 1; at < command->argv.size() && at < kMaxPrintedWords; ++at) {
    const Value& word = command->argv[at];
    const std::size_t equals = word.text.find('=');
    const bool known = word.holes.empty() || word.holes.front().begin > equals;
    if (!known || equals == std::string::npos) continue;
    // declare NAME=value, NAME+=value, NAME[key]=value
    const std::string name = word.text.substr(0, word.text.find_first_of("=+["));
    if (!is_name(name)) continue;
    command->assignments.push_back({name, tail_of(word, equals + 1), true});
  }
}

}  // namespace gibbous::command
