// Commands in commands: wrappers (sudo, env, timeout, xargs), programs that take code for a shell
// (sh -c, eval, ssh, find -exec), files of code, and code on standard input. What each of them does
// is in the policy's tables (Runs).
#include <algorithm>
#include <utility>

#include "runtime/command/analyser.h"

namespace gibbous::command {
namespace {

constexpr std::size_t kMaxAppended = 64;
constexpr std::size_t kMaxMarks = 16;   // {} in one word
constexpr std::size_t kFieldCost = 64;  // in bytes of text
constexpr char kShell[] = "shell";

bool matches_when(const std::vector<Value>& argv, const Arguments& arguments, const Runs& runs) {
  if (!runs.when.empty() && !any_flag(argv, arguments, runs.when)) return false;
  return !any_flag(argv, arguments, runs.unless);
}

bool is_assignment(const Value& value) {
  const std::size_t equals = value.text.find('=');
  if (equals == std::string::npos || !is_name(std::string_view(value.text).substr(0, equals)))
    return false;
  return value.holes.empty() || value.holes.front().begin > equals;
}

Value unknown_words(const std::string& text) {
  Value value;
  value.text = text;
  value.holes.push_back(
      {Value::Hole::Kind::kUnknown, true, 0, static_cast<std::uint32_t>(text.size())});
  return value;
}

// "prefix" or "alias.*=!": the rest of the text, or nothing.
std::optional<std::size_t> behind_prefix(const std::string& prefix, const std::string& text) {
  const std::size_t star = prefix.find('*');
  if (star == std::string::npos) {
    if (text.compare(0, prefix.size(), prefix) != 0) return std::nullopt;
    return prefix.size();
  }
  if (text.compare(0, star, prefix, 0, star) != 0) return std::nullopt;
  const std::string rest = prefix.substr(star + 1);
  const std::size_t at = text.find(rest, star);
  if (at == std::string::npos) return std::nullopt;
  return at + rest.size();
}

bool is_stdin_path(const std::string& text) {
  return text == "-" || text == "/dev/stdin" || text == "/dev/fd/0" || text == "/proc/self/fd/0";
}

}  // namespace

// Code for a shell that stands in a word.
void Analyser::shell_code(const Value& text, const SimpleCommand& command, const std::string& by,
                          const Feed& feed) {
  const auto decoded = [](const Value::Hole& hole) { return hole.decoded; };
  const bool decodes = std::any_of(text.holes.begin(), text.holes.end(), decoded);
  if (text.has_unknown())
    doubt(decodes ? Doubt::kDecodedCode : Doubt::kUnknownCode, text.range, text.text,
          static_cast<int>(facts_.commands.size()));
  code_base_.push_back({command.wrappers, command.privileged, command.remote});
  code(text, Nesting::Kind::kCode, by, feed);
  code_base_.pop_back();
}

void Analyser::new_shell(const Value& text, const SimpleCommand& command, const std::string& by,
                         const Feed& feed) {
  const Scope::Mark mark = scope_.mark();
  const auto positional = scope_.positional();
  const std::size_t before = scope_.enter_shell();
  scope_.set_positional(positional);
  ++shells_;
  const bool last_pipe = last_pipe_;
  shell_code(text, command, by, feed);
  last_pipe_ = last_pipe;
  --shells_;
  scope_.leave_shell(before);
  scope_.restore(mark);
}

// Words of a wrapper, up to the command, that may be several words, or options: which word is the
// command is not known then.
void Analyser::doubt_holes(const SimpleCommand& command, const Arguments& arguments,
                           std::size_t first) {
  for (std::size_t at = 1; at < std::min(first, command.argv.size()); ++at) {
    const Value& word = command.argv[at];
    const auto moves = [&](const Value::Hole& hole) {
      return hole.kind == Value::Hole::Kind::kUnknown &&
             (hole.splits || hole.begin == 0 ||
              std::find(arguments.options.begin(), arguments.options.end(), static_cast<int>(at)) !=
                  arguments.options.end());
    };
    if (std::none_of(word.holes.begin(), word.holes.end(), moves)) continue;
    // The quoted value of an option, or a quoted operand that is skipped, stays one word.
    const bool splits = std::any_of(word.holes.begin(), word.holes.end(),
                                    [](const Value::Hole& hole) { return hole.splits; });
    const auto valued = [&](const OptionValue& value) {
      return value.argument == static_cast<int>(at);
    };
    if (!splits && std::any_of(arguments.values.begin(), arguments.values.end(), valued)) continue;
    doubt(Doubt::kUnknownCommandArgument, word.range, word.text,
          static_cast<int>(facts_.commands.size()));
    return;
  }
}

// Code that runs some time (trap) or in a shell of its own (env -S, su -c).
void Analyser::own_shell(const Value& text, const SimpleCommand& base,
                         const SimpleCommand& command) {
  if (command.program != "trap") {
    const bool callback = command.program == "mapfile" || command.program == "readarray";
    const Scope::Mark mark = scope_.mark();
    if (callback) {
      shell_code(text, base, command.program, {});
      scope_.merge(mark);
    } else {
      new_shell(text, base, command.program, {});
    }
    return;
  }
  const Scope::Mark mark = scope_.mark();
  shell_code(text, base, "trap", {});
  scope_.merge(mark);
  if (!finishing_ && traps_.size() < limits_.commands)
    traps_.push_back({text, base, nesting_, source_, scope_.changes()});
}

bool Analyser::carry(SimpleCommand* command, std::vector<Arg>* args, Arguments* arguments,
                     const Feed& feed) {
  if (arguments->program == nullptr) return false;
  const ProgramSpec* program = arguments->program;
  // What stands behind -exec is no word of find's own.
  for (const Runs& runs : program->runs) {
    if (runs.how == Runs::How::kUntil) cut_until(runs, command, args, feed);
  }
  if (args->size() != command->argv.size()) {
    command->argv.clear();
    for (const Arg& arg : *args) command->argv.push_back(arg.value);
    *arguments = split_arguments(command->argv, program);
  }
  const ProgramSpec* spec = arguments->spec;
  command->privileged = command->privileged || program->privileged || spec->privileged;
  bool replaced = false;
  const auto each_of = [&](const ProgramSpec& from) {
    for (const Runs& runs : from.runs) {
      if (runs.how == Runs::How::kUntil || full()) continue;
      if (!matches_when(command->argv, *arguments, runs)) continue;
      replaced = carry_one(runs, command, *args, *arguments, feed) || replaced;
    }
  };
  each_of(*spec);
  if (program != spec) each_of(*program);
  for (const Selected& selected : select(command->argv, *arguments, spec->evaluated)) {
    const std::string& text = selected.value.text;
    const bool runs = text.find("$(") != std::string::npos || text.find('`') != std::string::npos;
    if (runs && selected.value.quoted)
      doubt(Doubt::kEvaluatedText, selected.value.range, text,
            replaced ? -1 : static_cast<int>(facts_.commands.size()));
  }
  return replaced;
}

bool Analyser::carry_one(const Runs& runs, SimpleCommand* command, const std::vector<Arg>& args,
                         const Arguments& arguments, const Feed& feed) {
  switch (runs.how) {
    case Runs::How::kArgv:
      return carry_argv(runs, command, args, arguments, feed);
    case Runs::How::kUntil:
      return false;  // cut_until had them
    case Runs::How::kShell: {
      for (const Selected& selected : select(command->argv, arguments, runs.from)) {
        Value text = selected.value;
        if (!runs.strip_prefix.empty()) {
          const auto rest = behind_prefix(runs.strip_prefix, text.text);
          if (!rest) continue;
          text = tail_of(text, *rest);
        }
        SimpleCommand base = *command;
        base.remote = base.remote || arguments.spec->remote;
        own_shell(text, base, *command);
      }
      return false;
    }
    case Runs::How::kJoined: {
      const auto skip = static_cast<std::size_t>(runs.skip);
      if (arguments.operands.size() <= skip) {
        doubt_holes(*command, arguments, command->argv.size());
        if (!runs.shell_if_empty) return false;
        return carry_stdin(runs, command, arguments, feed);
      }
      // From its first word on all of it is code; what looks like an option too.
      const auto first = static_cast<std::size_t>(arguments.operands[skip]);
      doubt_holes(*command, arguments, first);
      Value text = command->argv[first];
      for (std::size_t at = first + 1; at < command->argv.size(); ++at) {
        const Value& word = command->argv[at];
        const auto offset = static_cast<std::uint32_t>(text.text.size() + 1);
        text.text += " " + word.text;
        for (Value::Hole hole : word.holes) {
          hole.begin += offset;
          hole.end += offset;
          text.holes.push_back(hole);
        }
        text.range.end = std::max(text.range.end, word.range.end);
      }
      if (!spend(text.text.size())) return false;
      SimpleCommand base = *command;
      base.remote = base.remote || arguments.spec->remote;
      const bool known = text.literal();
      if (command->program == "eval") {
        std::vector<Access> accesses = command->accesses;
        note_redirections(std::move(accesses), command->range);
        shell_code(text, base, command->program, feed);
        if (!known && spend(scope_.size() * kFieldCost)) scope_.forget_all();
      } else {
        new_shell(text, base, command->program, feed);
      }
      return known && !base.remote && (command->program == "eval" || command->accesses.empty());
    }
    case Runs::How::kOption:
      return carry_option(runs, command, args, arguments, feed);
    case Runs::How::kStdin:
      return carry_stdin(runs, command, arguments, feed);
    case Runs::How::kFile:
      carry_file(runs, command, args, arguments, feed);
      return false;
    case Runs::How::kCode:
      for (const Selected& selected : select(command->argv, arguments, runs.from))
        other_code(selected.value, runs.language, command);
      return false;
  }
  return false;
}

// xargs: what it puts behind the words of the command, or into them.
void Analyser::replaced_words(const SimpleCommand& command, const Feed& feed,
                              std::vector<Arg>* inner) {
  // -I R, -IR, -i, --replace=R; and whatever else has a say in which words come together.
  std::string mark = "{}";
  bool replaces = false;
  bool plain = true;
  const std::size_t end = command.argv.size() - std::min(command.argv.size(), inner->size());
  for (std::size_t at = 1; at < end; ++at) {
    const std::string& option = command.argv[at].text;
    if (option.rfind("-I", 0) == 0 || option.rfind("-J", 0) == 0) {
      replaces = true;
      if (option.size() > 2) {
        mark = option.substr(2);
      } else if (at + 1 < end) {
        mark = command.argv[++at].text;
      }
    } else if (option.rfind("-i", 0) == 0 || option.rfind("--replace", 0) == 0) {
      replaces = true;
      const std::size_t from = option[1] == 'i' ? 2 : std::min(option.find('=') + 1, option.size());
      if (from > 0 && from < option.size()) mark = option.substr(from);
    } else if (option != "-r" && option != "-t" && option != "--no-run-if-empty") {
      plain = false;
    }
  }
  std::vector<Value> words;
  bool known = feed.words.has_value() && plain && feed.words->size() <= kMaxAppended;
  for (std::size_t at = 0; known && at < feed.words->size(); ++at) {
    const Value& word = (*feed.words)[at];
    const auto splits = [](const Value::Hole& hole) { return hole.splits; };
    known = word.text.find_first_of(" \t\n'\"\\") == std::string::npos && !word.text.empty() &&
            std::none_of(word.holes.begin(), word.holes.end(), splits);
    words.push_back(word);
  }
  if (replaces && words.size() != 1) known = false;
  // {} stands for what comes even where no option says so, for other programs of this kind.
  for (Arg& arg : *inner) {
    if (mark.empty() || !arg.value.literal()) continue;
    if (known && words.size() == 1 && arg.value.text == mark) {
      arg.value = words.front();
      continue;
    }
    std::size_t at = arg.value.text.find(mark);
    for (; at != std::string::npos; at = arg.value.text.find(mark, at + mark.size())) {
      if (arg.value.holes.size() == kMaxMarks) {  // all from the first on
        arg.value.holes.resize(1);
        arg.value.holes[0].end = static_cast<std::uint32_t>(arg.value.text.size());
        break;
      }
      arg.value.holes.push_back({Value::Hole::Kind::kUnknown, !replaces,
                                 static_cast<std::uint32_t>(at),
                                 static_cast<std::uint32_t>(at + mark.size())});
    }
  }
  if (replaces) return;
  if (!known) words = {unknown_words("...")};
  for (Value& word : words) {
    Arg arg;
    arg.value = std::move(word);
    inner->push_back(std::move(arg));
  }
}

// sudo, env, timeout 5, xargs: the rest is a command of its own.
bool Analyser::carry_argv(const Runs& runs, SimpleCommand* command, const std::vector<Arg>& args,
                          const Arguments& arguments, const Feed& feed) {
  std::vector<int> operands = arguments.operands;
  SimpleCommand base;
  base.range = command->range;
  base.source = command->source;
  base.assignments = command->assignments;
  base.accesses = command->accesses;
  base.wrappers = command->wrappers;
  base.wrappers.push_back(command->program);
  base.privileged = command->privileged;
  base.remote = command->remote || arguments.spec->remote;
  std::size_t skip = static_cast<std::size_t>(runs.skip);
  std::size_t at = 0;
  for (; at < operands.size(); ++at) {
    const Value& word = command->argv[static_cast<std::size_t>(operands[at])];
    if (word.text == "-" && word.literal()) continue;  // env -, su -
    if (runs.assignments && is_assignment(word)) {
      const std::size_t equals = word.text.find('=');
      base.assignments.push_back({word.text.substr(0, equals), tail_of(word, equals + 1), true});
    } else if (skip > 0) {
      --skip;
    } else {
      break;
    }
  }
  if (at >= operands.size()) {
    doubt_holes(*command, arguments, command->argv.size());
    if (!base.assignments.empty()) command->assignments = base.assignments;
    if (runs.shell_if_empty) return carry_stdin(runs, command, arguments, feed);
    return false;
  }
  const auto first = static_cast<std::size_t>(operands[at]);
  doubt_holes(*command, arguments, first);
  std::vector<Arg> inner(args.begin() + static_cast<std::ptrdiff_t>(first), args.end());
  if (runs.appends) replaced_words(*command, feed, &inner);
  // The wrapper's own files and directories belong to what it runs.
  const std::size_t before = base.accesses.size();
  SimpleCommand own = *command;
  own.accesses.clear();
  add_accesses(arguments, &own);
  for (Access& access : own.accesses) {
    if (access.kind != AccessKind::kExecute || access.argument != 0)
      base.accesses.push_back(std::move(access));
  }
  (void)before;
  const Nest nest(*this, Nesting::Kind::kWrapper, command->program);
  const Scope::Mark mark = scope_.mark();
  for (const Selected& selected : select(command->argv, arguments, arguments.spec->cwd)) {
    Value target = selected.value;
    change_directory({command->program_word, std::move(target)});
  }
  Feed inner_feed = feed;
  if (runs.appends) inner_feed = {};
  ++depth_;
  if (runs.appends) suspect_words(*command, inner, feed, base);
  run(std::move(inner), std::move(base), inner_feed);
  --depth_;
  // command cd, builtin cd: the shell's own.
  const bool same_shell = command->program == "command" || command->program == "builtin";
  if (!same_shell) scope_.restore(mark);
  return true;
}

// sh -c CODE NAME WORDS
bool Analyser::carry_option(const Runs& runs, SimpleCommand* command, const std::vector<Arg>& args,
                            const Arguments& arguments, const Feed& feed) {
  bool there = false;
  for (const Selector& selector : runs.from) {
    if (any_flag(command->argv, arguments, selector.options)) there = true;
  }
  const std::size_t own = arguments.operands.empty()
                              ? command->argv.size()
                              : static_cast<std::size_t>(arguments.operands[0]) + 1;
  doubt_holes(*command, arguments, there || own == command->argv.size() ? own : own - 1);
  if (!there || arguments.operands.empty()) return false;
  const auto first = static_cast<std::size_t>(arguments.operands[0]);
  const Value& text = command->argv[first];
  const Scope::Mark mark = scope_.mark();
  set_positional(command->argv, std::min(first + 2, command->argv.size()));
  if (first + 1 < command->argv.size()) {
    for (const Value::Hole& hole : command->argv[first + 1].holes)
      if (hole.splits || hole.kind == Value::Hole::Kind::kGlob) scope_.set_positional(std::nullopt);
  }
  std::vector<Access> accesses = command->accesses;
  note_redirections(std::move(accesses), command->range);
  const bool known = !text.has_unknown() && !args[first].process;
  if (first + 1 < command->argv.size()) {
    Variable name;
    name.values.push_back(command->argv[first + 1]);
    scope_.set("0", std::move(name));
  } else {
    scope_.forget("0");
  }
  new_shell(text, *command, command->program, feed);
  scope_.restore(mark);
  return known && command->assignments.empty();
}

// A shell or an interpreter that reads its code from standard input.
bool Analyser::carry_stdin(const Runs& runs, SimpleCommand* command, const Arguments& arguments,
                           const Feed& feed) {
  const bool explicitly = any_flag(command->argv, arguments, {"-s"});
  const bool shell = runs.language.empty() || runs.language == kShell;
  if (!arguments.operands.empty() && !explicitly && runs.how == Runs::How::kStdin) {
    const std::string& first = command->argv[static_cast<std::size_t>(arguments.operands[0])].text;
    const bool more = arguments.operands.size() > static_cast<std::size_t>(runs.skip);
    if (more && !is_stdin_path(first)) return false;
  }
  if (feed.piped && !feed.text) suspect(feed.maybe, runs.language, command->range, command);
  const int index = static_cast<int>(facts_.commands.size());
  if (!feed.piped && feed.file) {
    read_file(*feed.file, -1, runs.language, command);
    return false;
  }
  if (!feed.piped && input_moved_) {
    doubt(Doubt::kPipedCode, command->range, command->program, index);
    return false;
  }
  if (!feed.piped) {
    if (facts_.reads_code.size() < kMaxAppended)
      facts_.reads_code.push_back(runs.language.empty() ? kShell : runs.language);
    return false;
  }
  if (feed.text) {
    if (shell) {
      const bool known = !feed.text->has_unknown();
      const Scope::Mark mark = scope_.mark();
      if (explicitly && !arguments.operands.empty()) {
        std::vector<Value> words;
        for (const int operand : arguments.operands)
          words.push_back(command->argv[static_cast<std::size_t>(operand)]);
        set_positional(words, 0);
      } else {
        scope_.set_positional(std::nullopt);
      }
      if (command->program == "source" || command->program == ".") {
        shell_code(*feed.text, *command, command->program, {});
        scope_.merge(mark);
      } else {
        new_shell(*feed.text, *command, command->program, {});
        scope_.restore(mark);
      }
      return known && feed.programs.empty() && command->assignments.empty() &&
             command->accesses.empty();
    }
    other_code(*feed.text, runs.language, command);
    return false;
  }
  std::string by;
  for (const std::string& program : feed.programs) by += (by.empty() ? "" : " | ") + program;
  doubt(feed.decodes ? Doubt::kDecodedCode : Doubt::kPipedCode, command->range,
        by + (by.empty() ? "" : " | ") + command->program, index);
  return false;
}

// sh script.sh, source file, python file.py
void Analyser::carry_file(const Runs& runs, SimpleCommand* command, const std::vector<Arg>& args,
                          const Arguments& arguments, const Feed& feed) {
  std::vector<Selected> files;
  if (runs.from.empty()) {
    if (!arguments.operands.empty()) {
      const int first = arguments.operands[0];
      files.push_back({command->argv[static_cast<std::size_t>(first)], first});
    }
  } else {
    files = select(command->argv, arguments, runs.from);
  }
  for (const Selected& file : files) {
    const Arg& arg = args[static_cast<std::size_t>(file.argument)];
    if (arg.process) {
      Feed from;
      from.piped = true;
      for (int at = arg.producers_begin; at < arg.producers_end; ++at) {
        const SimpleCommand& producer = facts_.commands[static_cast<std::size_t>(at)];
        from.programs.push_back(producer.program);
        const ProgramSpec* spec = knowledge_.find(producer.program);
        from.decodes = from.decodes || (spec != nullptr && spec->decodes);
      }
      suspect(printed_by(static_cast<std::size_t>(arg.producers_begin),
                         static_cast<std::size_t>(arg.producers_end)),
              runs.language, file.value.range, command);
      const int index = static_cast<int>(facts_.commands.size());
      std::string by;
      for (const std::string& program : from.programs) by += (by.empty() ? "" : " | ") + program;
      doubt(from.decodes ? Doubt::kDecodedCode : Doubt::kPipedCode, file.value.range, by, index);
      command->fed_by = from.programs;
      continue;
    }
    if (is_stdin_path(file.value.text)) {
      if (!feed.piped) continue;
      Runs stdin_runs = runs;
      stdin_runs.how = Runs::How::kStdin;
      carry_stdin(stdin_runs, command, Arguments{}, feed);
      continue;
    }
    read_file(file.value, file.argument, runs.language, command);
    const bool here = command->program == "source" || command->program == ".";
    if (here && spend(scope_.size() * kFieldCost)) scope_.forget_all();
  }
}

// Code that is in a file.
void Analyser::read_file(const Value& file, int argument, const std::string& language,
                         SimpleCommand* command) {
  const std::size_t before = command->accesses.size();
  add_access(AccessKind::kExecute, false, file, argument, false, scope_.cwd(), &command->accesses);
  const std::size_t after = command->accesses.size();
  for (std::size_t at = before; at < after; ++at) {
    const Access access = command->accesses[at];
    suspect_file(access, language, command);
  }
  const int index = static_cast<int>(facts_.commands.size());
  for (std::size_t at = before; at < command->accesses.size(); ++at) {
    const PathClasses classes = command->accesses[at].classes;
    if ((classes & kUnknownPath) != 0 || (classes & kInWorkspace) == 0) {
      doubt(Doubt::kUnreadFile, file.range, file.text, index);
      break;
    }
  }
}

// What a program that lists prints: something below each of its operands.
std::vector<Value> Analyser::listed_below(const Arguments& arguments,
                                          const SimpleCommand& command) {
  std::vector<Value> all;
  for (const int index : arguments.operands) {
    const Value& operand = command.argv[static_cast<std::size_t>(index)];
    if (operand.text.empty() || operand.text[0] == '(' || operand.text[0] == '!') break;
    Value each = operand;
    if (each.text.back() != '/') each.text += '/';
    const auto begin = static_cast<std::uint32_t>(each.text.size());
    each.text += "{}";
    each.holes.push_back({Value::Hole::Kind::kUnknown, false, begin, begin + 2});
    all.push_back(std::move(each));
    if (all.size() >= kMaxAppended) break;
  }
  if (all.empty()) {
    Value each;
    each.text = "./{}";
    each.holes.push_back({Value::Hole::Kind::kUnknown, false, 2, 4});
    all.push_back(std::move(each));
  }
  return all;
}

// find DIR -exec COMMAND {} + : each such command, with what find would put for {}.
void Analyser::cut_until(const Runs& runs, SimpleCommand* command, std::vector<Arg>* args,
                         const Feed& feed) {
  std::vector<std::string> starts;
  for (const Selector& selector : runs.from) {
    for (const std::string& option : selector.options) starts.push_back(option);
  }
  std::vector<Arg> kept;
  std::vector<std::vector<Arg>> inner;
  for (std::size_t at = 0; at < args->size(); ++at) {
    const std::string& text = (*args)[at].value.text;
    const bool start = std::find(starts.begin(), starts.end(), text) != starts.end();
    if (!start || at == 0) {
      kept.push_back((*args)[at]);
      continue;
    }
    kept.push_back((*args)[at]);
    inner.emplace_back();
    for (++at; at < args->size(); ++at) {
      const std::string& word = (*args)[at].value.text;
      if (word == ";" || (word == "+" && !inner.back().empty())) break;
      inner.back().push_back((*args)[at]);
    }
  }
  for (const Arg& arg : *args) {
    if (&arg == args->data()) continue;
    const auto splits = [](const Value::Hole& hole) { return hole.splits; };
    if (std::none_of(arg.value.holes.begin(), arg.value.holes.end(), splits)) continue;
    doubt(Doubt::kUnknownCommandArgument, arg.value.range, arg.value.text,
          static_cast<int>(facts_.commands.size()));
    break;
  }
  if (inner.empty()) return;
  std::vector<Value> outer;
  for (const Arg& arg : kept) outer.push_back(arg.value);
  const Arguments arguments = split_arguments(outer, knowledge_.find(command->program));
  SimpleCommand own = *command;
  own.argv = outer;
  std::vector<Value> listed = listed_below(arguments, own);
  // Without a test of names and the like it is everything.
  const bool filters =
      any_flag(outer, arguments,
               {"-name",     "-iname",   "-path",  "-ipath",     "-wholename", "-regex", "-iregex",
                "-newer",    "-mtime",   "-atime", "-ctime",     "-mmin",      "-amin",  "-cmin",
                "-size",     "-empty",   "-user",  "-group",     "-perm",      "-links", "-inum",
                "-samefile", "-newermt", "-lname", "-executable"});
  if (!filters && knowledge_.find(command->program)->single_dash_long) {
    for (Value& value : listed) {
      const std::size_t at = value.text.rfind("{}");
      if (at == std::string::npos) continue;
      value.text.replace(at, 2, "*");
      value.holes.back() = {Value::Hole::Kind::kGlob, false, static_cast<std::uint32_t>(at),
                            static_cast<std::uint32_t>(at + 1)};
    }
  }
  for (std::vector<Arg>& words : inner) {
    std::vector<Arg> made;
    for (Arg& arg : words) {
      const std::size_t braces = arg.value.text.find("{}");
      if (braces == std::string::npos || !arg.value.literal()) {
        made.push_back(std::move(arg));
        continue;
      }
      if (arg.value.text != "{}" || made.empty()) {
        arg.value.holes.push_back({Value::Hole::Kind::kUnknown, false,
                                   static_cast<std::uint32_t>(braces),
                                   static_cast<std::uint32_t>(braces + 2)});
        made.push_back(std::move(arg));
        continue;
      }
      if (!spend(listed.size() * kFieldCost)) return;
      for (const Value& value : listed) {
        Arg each;
        each.value = value;
        each.value.range = arg.value.range;
        each.value.source = arg.value.source;
        made.push_back(std::move(each));
      }
    }
    if (made.empty()) continue;
    SimpleCommand base;
    base.range = command->range;
    base.source = command->source;
    base.privileged = command->privileged;
    base.remote = command->remote;
    base.wrappers = command->wrappers;
    base.wrappers.push_back(command->program);
    const Nest nest(*this, Nesting::Kind::kWrapper, command->program + " " + starts[0]);
    ++depth_;
    run(std::move(made), std::move(base), {});
    --depth_;
  }
  (void)feed;
  *args = std::move(kept);
}

// An unknown program that names a known one among its words may run it.
// A program that removes, changes rights, or runs something else.
bool Analyser::is_dangerous(const ProgramSpec& spec) {
  const auto changes = [](const AccessSpec& access) {
    return access.kind == AccessKind::kRemove || access.kind == AccessKind::kPermission;
  };
  return spec.privileged || std::any_of(spec.accesses.begin(), spec.accesses.end(), changes) ||
         std::any_of(spec.runs.begin(), spec.runs.end(), [](const Runs& runs) {
           return runs.how == Runs::How::kOption || runs.how == Runs::How::kArgv ||
                  runs.how == Runs::How::kJoined;
         });
}

void Analyser::guess(const SimpleCommand& command, const std::vector<Arg>& args, const Feed& feed) {
  for (std::size_t at = 1; at < args.size(); ++at) {
    const Value& word = args[at].value;
    if (!word.literal() || word.text.empty() || word.text[0] == '-') continue;
    const std::size_t slash = word.text.rfind('/');
    const std::string name = slash == std::string::npos ? word.text : word.text.substr(slash + 1);
    if (name.empty() || knowledge_.find(name) == nullptr) continue;
    SimpleCommand base;
    base.range = command.range;
    base.source = command.source;
    base.privileged = command.privileged;
    base.remote = command.remote;
    base.wrappers = command.wrappers;
    base.wrappers.push_back(command.program);
    const Nest nest(*this, Nesting::Kind::kGuess, command.program);
    const Scope::Mark mark = scope_.mark();
    ++depth_;
    run(std::vector<Arg>(args.begin() + static_cast<std::ptrdiff_t>(at), args.end()),
        std::move(base), feed);
    --depth_;
    scope_.restore(mark);
    guessed_dangerous_ = is_dangerous(*knowledge_.find(name)) ? name : "";
    return;
  }
}

}  // namespace gibbous::command
