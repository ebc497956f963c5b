// Commands inside commands: sudo, env, timeout, xargs, find -exec, and unknown programs. The
// policy's tables (RunsSpec) say which program does what.
#include <algorithm>
#include <utility>

#include "runtime/command/analyser.h"
#include "runtime/command/flags.h"

namespace gibbous::command {
namespace {

constexpr std::size_t kMaxAppended = 64;
constexpr std::size_t kMaxMarks = 16;   // {} in one word
constexpr std::size_t kFieldCost = 64;  // in bytes of text

bool is_assignment(const Value& value) {
  const std::size_t equals = value.text.find('=');
  if (equals == std::string::npos || !is_name(std::string_view(value.text).substr(0, equals)))
    return false;
  return value.holes.empty() || value.holes.front().begin > equals;
}

// What is known of a command that `wrapper` starts.
SimpleCommand inside(const SimpleCommand& wrapper) {
  SimpleCommand made;
  made.privileged = wrapper.privileged;
  made.remote = wrapper.remote;
  made.wrappers = wrapper.wrappers;
  made.wrappers.push_back(wrapper.program);
  return made;
}

// The words that a program reads, if they are known.
std::optional<std::vector<Value>> words_of(const Feed& feed) {
  if (feed.words || !feed.text || !feed.text->literal()) return feed.words;
  std::vector<Value> words;
  const std::string& text = feed.text->text;
  for (std::size_t at = 0; at < text.size() && words.size() <= kMaxAppended;) {
    const std::size_t end = std::min(text.find_first_of(" \t\n", at), text.size());
    if (end > at) {
      words.emplace_back();
      words.back().text = text.substr(at, end - at);
    }
    at = end + 1;
  }
  return words;
}

}  // namespace

// If a word of the wrapper may be several words, or an option, the position of the command is
// unknown.
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
    // The quoted value of an option, and a quoted operand that is skipped, stays one word.
    const bool splits = std::any_of(word.holes.begin(), word.holes.end(),
                                    [](const Value::Hole& hole) { return hole.splits; });
    const auto valued = [&](const OptionValue& value) {
      return value.argument == static_cast<int>(at);
    };
    if (!splits && std::any_of(arguments.values.begin(), arguments.values.end(), valued)) continue;
    doubt_next(Doubt::kUnknownCommandArgument, word.text);
    return;
  }
}

// Adds the words that xargs puts after, or into, the words of the command.
void Analyser::replaced_words(const SimpleCommand& command, const Feed& feed,
                              std::vector<Arg>* inner) {
  // -I R, -IR, -i, --replace=R, and the options that decide which words come together.
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
  const std::optional<std::vector<Value>> read = words_of(feed);
  bool known = read && plain && read->size() <= kMaxAppended;
  for (std::size_t at = 0; known && at < read->size(); ++at) {
    const Value& word = (*read)[at];
    const auto splits = [](const Value::Hole& hole) { return hole.splits; };
    known = word.text.find_first_of(" \t\n'\"\\") == std::string::npos && !word.text.empty() &&
            std::none_of(word.holes.begin(), word.holes.end(), splits);
    words.push_back(word);
  }
  if (replaces && words.size() != 1) known = false;
  // Some programs replace {} without any option.
  for (Arg& arg : *inner) {
    if (mark.empty() || !arg.value.literal()) continue;
    if (known && words.size() == 1 && arg.value.text == mark) {
      arg.value = words.front();
      continue;
    }
    std::size_t at = arg.value.text.find(mark);
    for (; at != std::string::npos; at = arg.value.text.find(mark, at + mark.size())) {
      if (arg.value.holes.size() == kMaxMarks) {  // treat the rest as one hole
        arg.value.holes.resize(1);
        arg.value.holes[0].end = static_cast<std::uint32_t>(arg.value.text.size());
        break;
      }
      arg.value.holes.push_back({Value::Hole::Kind::kUnknown, !replaces,
                                 static_cast<std::uint32_t>(at),
                                 static_cast<std::uint32_t>(at + mark.size())});
    }
  }
  if (feed.text) {
    flow(mark, *feed.text);
    flow("...", *feed.text);
    for (const Arg& arg : *inner) {
      for (const Value::Hole& hole : arg.value.holes)
        flow(arg.value.text.substr(hole.begin, hole.end - hole.begin), *feed.text);
    }
  }
  if (replaces) return;
  if (!known) words = {hole_value("...", true)};
  for (Value& word : words) {
    Arg arg;
    arg.value = std::move(word);
    inner->push_back(std::move(arg));
  }
}

// Handles sudo, env, timeout 5 and xargs, whose remaining words are a command.
bool Analyser::carry_argv(const RunsSpec& runs, SimpleCommand* command,
                          const std::vector<Arg>& args, const Arguments& arguments,
                          const Feed& feed) {
  std::vector<int> operands = arguments.operands;
  SimpleCommand base = inside(*command);
  base.assignments = command->assignments;
  base.accesses = command->accesses;
  base.remote = base.remote || arguments.spec->remote;
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
  // The wrapper's own files and directories belong to the command that it runs.
  SimpleCommand own = *command;
  own.accesses.clear();
  add_accesses(arguments, scope_.cwd(), &own);
  for (Access& access : own.accesses) {
    if (access.kind != AccessKind::kExecute || access.argument != 0)
      base.accesses.push_back(std::move(access));
  }
  // xargs puts what it reads into the words of a program.
  const Value& program = inner[0].value;
  if (runs.appends && feed.piped && program.literal() &&
      knowledge_.find(base_name(program.text)) == nullptr)
    add_fed(feed, scope_.cwd(), &base.accesses);
  // "pnpm dlx" fetches what it runs, "pnpm exec" does not.
  const std::string& subcommand = arguments.subcommand;
  const Nest nest(*this, Nesting::Kind::kWrapper,
                  subcommand.empty() ? command->program : command->program + " " + subcommand);
  const Scope::Mark mark = scope_.mark();
  for (const Selected& selected : select(command->argv, arguments, arguments.spec->cwd)) {
    enter(reached(scope_.cwd(), selected.value));
  }
  Feed inner_feed = feed;
  if (runs.appends) inner_feed = {};
  ++depth_;
  run(std::move(inner), std::move(base), inner_feed);
  --depth_;
  // command cd and builtin cd change the shell itself.
  const bool same_shell = command->program == "command" || command->program == "builtin";
  if (!same_shell) scope_.restore(mark);
  return true;
}

// Returns the output of a program that lists: paths below each of its operands, all of them where
// nothing filters, or only what is negated.
std::vector<Value> Analyser::listed_below(const Arguments& arguments,
                                          const std::vector<Value>& words) {
  const ProgramSpec* spec = arguments.spec;
  Arguments narrowing = arguments;
  std::erase_if(narrowing.options, [&](int index) { return is_negated(words, index); });
  const bool all_of_it =
      spec != nullptr && !spec->filters.empty() && !any_flag(words, narrowing, spec->filters);
  std::vector<Value> all;
  const auto add_below = [&](Value each) {
    const auto begin = static_cast<std::uint32_t>(each.text.size());
    each.text += all_of_it ? "*" : "{}";
    each.holes.push_back({all_of_it ? Value::Hole::Kind::kGlob : Value::Hole::Kind::kUnknown, false,
                          begin, static_cast<std::uint32_t>(each.text.size())});
    each.bare = spec != nullptr && spec->lists_names;
    all.push_back(std::move(each));
  };
  for (const int index : arguments.operands) {
    Value operand = words[static_cast<std::size_t>(index)];
    if (operand.text.empty() || operand.text[0] == '(' || operand.text[0] == '!') break;
    // What a pattern matches are files as a rule, and listed themselves.
    const bool matches = !operand.holes.empty() && operand.text.back() != '/' &&
                         operand.holes.back().kind == Value::Hole::Kind::kGlob;
    if (matches) {
      all.push_back(std::move(operand));
    } else {
      if (operand.text.back() != '/') operand.text += '/';
      add_below(std::move(operand));
    }
    if (all.size() >= kMaxAppended) break;
  }
  if (all.empty()) add_below({"./", {}});
  return all;
}

// find DIR -exec COMMAND {} + runs each such command with paths below DIR for {}. Only a + behind
// {} ends it; any other is a word of the command.
void Analyser::cut_until(const RunsSpec& runs, SimpleCommand* command, std::vector<Arg>* args) {
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
      const bool plus = runs.ends_at_plus && word == "+" && !inner.back().empty() &&
                        inner.back().back().value.text == "{}";
      if (word == ";" || plus) break;
      inner.back().push_back((*args)[at]);
    }
  }
  for (const Arg& arg : *args) {
    if (&arg == args->data()) continue;
    const auto splits = [](const Value::Hole& hole) { return hole.splits; };
    if (std::none_of(arg.value.holes.begin(), arg.value.holes.end(), splits)) continue;
    doubt_next(Doubt::kUnknownCommandArgument, arg.value.text);
    break;
  }
  if (inner.empty()) return;
  std::vector<Value> outer;
  for (const Arg& arg : kept) outer.push_back(arg.value);
  const Arguments arguments = split_arguments(outer, knowledge_.find(command->program));
  const std::vector<Value> listed = listed_below(arguments, outer);
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
        made.push_back(std::move(each));
      }
    }
    if (made.empty()) continue;
    SimpleCommand base = inside(*command);
    const Nest nest(*this, Nesting::Kind::kWrapper, command->program + " " + starts[0]);
    ++depth_;
    run(std::move(made), std::move(base), {});
    --depth_;
  }
  *args = std::move(kept);
}

// Returns true for a program that removes files, changes permissions, or runs other commands.
bool Analyser::is_dangerous(const ProgramSpec& spec) {
  const auto changes = [](const AccessSpec& access) {
    return access.kind == AccessKind::kRemove || access.kind == AccessKind::kPermission;
  };
  return spec.privileged || std::any_of(spec.accesses.begin(), spec.accesses.end(), changes) ||
         std::any_of(spec.runs.begin(), spec.runs.end(), [](const RunsSpec& runs) {
           return runs.how == RunsSpec::How::kOption || runs.how == RunsSpec::How::kArgv ||
                  runs.how == RunsSpec::How::kJoined;
         });
}

// An unknown program with a known one among its words may run it.
void Analyser::guess(const SimpleCommand& command, const std::vector<Arg>& args, const Feed& feed) {
  const auto named = [&](const Arg& arg) -> const ProgramSpec* {
    const std::string& text = arg.value.text;
    if (!arg.value.literal() || text.empty() || text[0] == '-') return nullptr;
    return knowledge_.find(base_name(text));
  };
  const auto found = std::find_if(args.begin() + 1, args.end(), named);
  if (found == args.end()) return;
  SimpleCommand base = inside(command);
  const Scope::Mark mark = scope_.mark();
  {
    const Nest nest(*this, Nesting::Kind::kWrapper, command.program);
    ++depth_;
    run(std::vector<Arg>(found, args.end()), std::move(base), feed);
    --depth_;
  }
  scope_.restore(mark);
  if (is_dangerous(*named(*found))) {
    doubt_next(Doubt::kUnknownCommandArgument,
               command.program + " " + base_name(found->value.text));
  }
}

}  // namespace gibbous::command
