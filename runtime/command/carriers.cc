// Programs that run code: shell code in a word (sh -c, eval, ssh), in a file, or on standard input.
// The policy's tables (RunsSpec) say which program does what.
#include <algorithm>
#include <utility>

#include "runtime/base/shell_quote.h"
#include "runtime/command/analyser.h"

namespace gibbous::command {
namespace {

constexpr std::size_t kMaxAppended = 64;
// Looking for code costs more for a program that can run it in many ways.
constexpr std::size_t kUsualWords = 256;
constexpr std::size_t kCarrierWordCost = 8;
constexpr std::size_t kFieldCost = 64;  // in bytes of text

bool matches_when(const std::vector<Value>& argv, const Arguments& arguments,
                  const RunsSpec& runs) {
  if (!runs.when.empty() && !any_flag(argv, arguments, runs.when)) return false;
  return !any_flag(argv, arguments, runs.unless);
}

// Returns the offset after the prefix, "prefix" or "alias.*=!", if the text has it.
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

// "curl | tar"
std::string piped(const std::vector<std::string>& programs) {
  std::string text;
  for (const std::string& program : programs) text += (text.empty() ? "" : " | ") + program;
  return text;
}

bool is_stdin_path(const std::string& text) {
  return text == "-" || text == "/dev/stdin" || text == "/dev/fd/0" || text == "/proc/self/fd/0";
}

// Numbers, such as $! and $((1)), hold no code.
bool holds_code(const Value& text) {
  return std::any_of(text.holes.begin(), text.holes.end(), [&](const Value::Hole& hole) {
    const std::string_view part =
        std::string_view(text.text).substr(hole.begin, hole.end - hole.begin);
    const bool number =
        part == "$!" || part == "$$" || part == "$?" || part == "$#" || part.substr(0, 3) == "$((";
    return hole.kind == Value::Hole::Kind::kUnknown && !number;
  });
}

}  // namespace

// Analyses shell code that stands in a word.
void Analyser::shell_code(const Value& text, const SimpleCommand& command, const std::string& by,
                          const Feed& feed, Dialects dialects) {
  const auto decoded = [](const Value::Hole& hole) { return hole.decoded; };
  const bool decodes = std::any_of(text.holes.begin(), text.holes.end(), decoded);
  if (holds_code(text)) doubt_next(decodes ? Doubt::kDecodedCode : Doubt::kUnknownCode, text.text);
  code_base_.push_back({command.wrappers, command.privileged, command.remote});
  code(text, Nesting::Kind::kCode, by, feed, dialects);
  code_base_.pop_back();
}

void Analyser::new_shell(const Value& text, const SimpleCommand& command, const std::string& by,
                         const Feed& feed) {
  const Scope::Mark mark = scope_.mark();
  scope_.enter_shell();
  ++shells_;
  Dialects dialects = dialects_for(command);
  // The code of zsh and fish is judged in their own languages, too.
  const ProgramSpec* spec = knowledge_.find(command.program);
  const auto has_language = [](const RunsSpec& runs) { return runs.how == RunsSpec::How::kCode; };
  if (spec != nullptr && std::any_of(spec->runs.begin(), spec->runs.end(), has_language))
    dialects &= kAnyDialect;
  shell_code(text, command, by, feed, dialects);
  --shells_;
  scope_.restore(mark);
}

// Analyses code that runs later (trap) or in a shell of its own (env -S, su -c).
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
  // It runs with the values that its variables have last.
  later([this, text, base] { shell_code(text, base, "trap", {}); });
}

bool Analyser::carry(SimpleCommand* command, std::vector<Arg>* args, Arguments* arguments,
                     const Feed& feed) {
  if (arguments->program == nullptr) return false;
  const ProgramSpec* program = arguments->program;
  // The words after -exec are not words of find itself.
  for (const RunsSpec& runs : program->runs) {
    if (runs.how == RunsSpec::How::kUntil) cut_until(runs, command, args);
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
    for (const RunsSpec& runs : from.runs) {
      if (runs.how == RunsSpec::How::kUntil || full()) continue;
      if (args->size() > kUsualWords && !spend(args->size() * kCarrierWordCost)) return;
      if (!matches_when(command->argv, *arguments, runs)) continue;
      replaced = carry_one(runs, command, *args, *arguments, feed) || replaced;
    }
  };
  each_of(*spec);
  if (program != spec) each_of(*program);
  return replaced;
}

bool Analyser::carry_one(const RunsSpec& runs, SimpleCommand* command, const std::vector<Arg>& args,
                         const Arguments& arguments, const Feed& feed) {
  switch (runs.how) {
    case RunsSpec::How::kArgv:
      return carry_argv(runs, command, args, arguments, feed);
    case RunsSpec::How::kUntil:
      return false;  // cut_until has handled them
    case RunsSpec::How::kShell: {
      for (const Selected& selected : select(command->argv, arguments, runs.from)) {
        Value text = selected.value;
        if (!runs.strip_prefix.empty()) {
          const auto rest = behind_prefix(runs.strip_prefix, text.text);
          if (!rest) continue;
          text = tail_of(text, *rest);
        }
        if (runs.and_operands) {
          // env -S 'sh -c' CODE appends each of the following words to the string.
          const auto behind = static_cast<std::size_t>(selected.argument) + 1;
          for (std::size_t at = behind; at < command->argv.size(); ++at) {
            const auto begin = static_cast<std::uint32_t>(text.text.size());
            text.text += " " + shell_quote(command->argv[at].text);
            const auto end = static_cast<std::uint32_t>(text.text.size());
            if (command->argv[at].literal()) continue;
            text.holes.push_back({Value::Hole::Kind::kUnknown, true, begin, end});
          }
          if (!spend(text.text.size())) return false;
        }
        SimpleCommand base = *command;
        base.remote = base.remote || arguments.spec->remote;
        own_shell(text, base, *command);
      }
      return false;
    }
    case RunsSpec::How::kJoined: {
      const auto skip = static_cast<std::size_t>(runs.skip);
      if (arguments.operands.size() <= skip) {
        doubt_holes(*command, arguments, command->argv.size());
        if (!runs.shell_if_empty) return false;
        return carry_stdin(runs, command, arguments, feed);
      }
      // From the first word on, everything is code, even words that look like options.
      const auto first = static_cast<std::size_t>(arguments.operands[skip]);
      doubt_holes(*command, arguments, first);
      Value text = command->argv[first];
      for (std::size_t at = first + 1; at < command->argv.size(); ++at) {
        const Value& word = command->argv[at];
        text.text += " ";
        append_value(word, &text);
      }
      if (!spend(text.text.size())) return false;
      SimpleCommand base = *command;
      base.remote = base.remote || arguments.spec->remote;
      const bool known = text.literal();
      if (command->program == "eval") {
        std::vector<Access> accesses = command->accesses;
        note_redirections(std::move(accesses));
        shell_code(text, base, command->program, feed);
        if (!known && spend(scope_.size() * kFieldCost)) scope_.forget_all();
      } else {
        new_shell(text, base, command->program, feed);
      }
      return known && !base.remote && (command->program == "eval" || command->accesses.empty());
    }
    case RunsSpec::How::kOption:
      return carry_option(runs, command, args, arguments, feed);
    case RunsSpec::How::kStdin:
      return carry_stdin(runs, command, arguments, feed);
    case RunsSpec::How::kFile:
      carry_file(runs, command, args, arguments, feed);
      return false;
    case RunsSpec::How::kCode:
      for (const Selected& selected : select(command->argv, arguments, runs.from))
        other_code(selected.value, runs.language, command);
      return false;
    case RunsSpec::How::kEarlier:
      doubt_next(Doubt::kUnknownCode, command->program);
      return false;
  }
  return false;
}

// Handles sh -c CODE NAME WORDS.
bool Analyser::carry_option(const RunsSpec& runs, SimpleCommand* command,
                            const std::vector<Arg>& args, const Arguments& arguments,
                            const Feed& feed) {
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
    flow(kPositional, command->argv[first + 1]);  // $0
    for (const Value::Hole& hole : command->argv[first + 1].holes)
      if (hole.splits || hole.kind == Value::Hole::Kind::kGlob) scope_.set_positional(std::nullopt);
  }
  std::vector<Access> accesses = command->accesses;
  note_redirections(std::move(accesses));
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

// Handles a shell or an interpreter that reads its code from standard input.
bool Analyser::carry_stdin(const RunsSpec& runs, SimpleCommand* command, const Arguments& arguments,
                           const Feed& feed) {
  const bool explicitly = any_flag(command->argv, arguments, {"-s"});
  const bool shell = runs.language.empty() || runs.language == kShell;
  if (!arguments.operands.empty() && !explicitly && runs.how == RunsSpec::How::kStdin) {
    const std::string& first = command->argv[static_cast<std::size_t>(arguments.operands[0])].text;
    const bool more = arguments.operands.size() > static_cast<std::size_t>(runs.skip);
    if (more && !is_stdin_path(first)) return false;
  }
  if (input_moved_) {
    // After exec <FILE, the known input may belong to a group around both commands.
    doubt_next(Doubt::kPipedCode, command->program);
    if (!feed.piped && !feed.file) return false;
  }
  if (!feed.piped && feed.file) {
    read_file(*feed.file, -1, command);
    return false;
  }
  if (!feed.piped) {
    if (shell) facts_.shell_dialects |= dialects_for(*command);
    if (facts_.readers.size() < kMaxAppended)
      facts_.readers.push_back({command->program, runs.language.empty() ? kShell : runs.language});
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
  const std::string by = piped(feed.programs);
  doubt_next(feed.decodes ? Doubt::kDecodedCode : Doubt::kPipedCode,
             by + (by.empty() ? "" : " | ") + command->program);
  return false;
}

// Handles sh script.sh, source file and python file.py.
void Analyser::carry_file(const RunsSpec& runs, SimpleCommand* command,
                          const std::vector<Arg>& args, const Arguments& arguments,
                          const Feed& feed) {
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
      doubt_next(from.decodes ? Doubt::kDecodedCode : Doubt::kPipedCode, piped(from.programs));
      command->fed_by = from.programs;
      continue;
    }
    if (is_stdin_path(file.value.text)) {
      if (!feed.piped && !feed.file) continue;
      RunsSpec stdin_runs = runs;
      stdin_runs.how = RunsSpec::How::kStdin;
      carry_stdin(stdin_runs, command, Arguments{}, feed);
      continue;
    }
    read_file(file.value, file.argument, command);
    const bool here = command->program == "source" || command->program == ".";
    const auto holds_secrets = [&](const Access& access) {
      return access.argument == file.argument && (access.classes & map_->named()) != 0;
    };
    if (here && std::any_of(command->accesses.begin(), command->accesses.end(), holds_secrets))
      flows_.add_anywhere("<" + file.value.text);
    if (here && spend(scope_.size() * kFieldCost)) scope_.forget_all();
  }
}

// Notes that a file is run as code.
void Analyser::read_file(const Value& file, int argument, SimpleCommand* command) {
  const std::size_t before = command->accesses.size();
  add_access(AccessKind::kExecute, false, file, argument, false, scope_.cwd(), &command->accesses);
  for (std::size_t at = before; at < command->accesses.size(); ++at) {
    const PathClasses classes = command->accesses[at].classes;
    // Installed programs are no less known than those on PATH.
    if ((classes & knowledge_.class_bit("programs")) != 0) continue;
    if ((classes & kUnknownPath) != 0 || (classes & kInWorkspace) == 0) {
      doubt_next(Doubt::kUnreadFile, file.text);
      break;
    }
  }
}

}  // namespace gibbous::command
