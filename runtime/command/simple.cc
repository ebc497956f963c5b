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

// Returns what stands for the value in ${x:-default} if that is plain text, or null.
const Part* default_of(const Part& part) {
  const bool defaults = part.op == "-" || part.op == ":-" || part.op == "=" || part.op == ":=";
  const bool text = part.operand.size() == 1 && part.operand[0].kind == Part::Kind::kText;
  return defaults && text ? &part.operand[0] : nullptr;
}

}  // namespace

Value hole_value(const std::string& text, bool splits) {
  const auto size = static_cast<std::uint32_t>(text.size());
  return {text, {{Value::Hole::Kind::kUnknown, splits, 0, size}}};
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

// Returns a variable in the words that may have one of several values and was not chosen yet, or
// null.
const Part* Analyser::open_choice(const Node& node) const {
  const auto is_open = [&](const Part& part) {
    if (part.kind != Part::Kind::kParameter || part.subscripted ||
        std::find(chosen_.begin(), chosen_.end(), part.text) != chosen_.end())
      return false;
    const Variable* variable = scope_.find(part.text);
    if (variable != nullptr && !variable->values.empty())
      return !variable->is_one() && !variable->array;
    return is_name(part.text) && default_of(part) != nullptr;
  };
  const auto in = [&](const Word& word) {
    const auto found = std::find_if(word.parts.begin(), word.parts.end(), is_open);
    return found == word.parts.end() ? nullptr : &*found;
  };
  for (const Assignment& each : node.assignments)
    if (const Part* found = in(each.value)) return found;
  for (const Word& each : node.words)
    if (const Part* found = in(each)) return found;
  for (const Redirection& each : node.redirections)
    if (const Part* found = in(each.target)) return found;
  return nullptr;
}

// Walks the command once for each value that a variable in it may have. Returns false if there is
// nothing to choose, or too much.
bool Analyser::choose(const Node& node, const Feed& feed) {
  constexpr std::size_t kMaxChoices = 16;
  const Part* part = open_choice(node);
  if (part == nullptr) return false;
  Variable all;
  if (const Variable* now = scope_.find(part->text); now != nullptr && !now->values.empty()) {
    all = *now;
  } else {
    all.unknown = true;
    all.values.emplace_back();
    all.values.back().text = default_of(*part)->text;
  }
  const std::size_t count = all.values.size() + (all.unknown ? 1 : 0);
  if (choices_ * count > kMaxChoices || !spend(count * kWordCost)) return false;
  choices_ *= count;
  chosen_.push_back(part->text);
  const Scope::Mark before = scope_.mark();
  Scope::Mark after;
  for (std::size_t at = 0; at < count && !full(); ++at) {
    scope_.restore(before);
    if (at < all.values.size()) {
      Variable one;
      one.values.push_back(all.values[at]);
      scope_.set(part->text, std::move(one));
    } else {
      scope_.forget(part->text);
    }
    simple(node, feed);
    if (after) scope_.merge(after);
    after = scope_.mark();
  }
  scope_.set(part->text, std::move(all));
  scope_.merge(after);
  chosen_.pop_back();
  choices_ /= count;
  return true;
}

void Analyser::simple(const Node& node, const Feed& outer) {
  if (choose(node, outer)) return;
  printed_ = {};
  SimpleCommand base;
  if (!code_base_.empty()) {
    base.wrappers = code_base_.back().wrappers;
    base.privileged = code_base_.back().privileged;
    base.remote = code_base_.back().remote;
  }
  const bool may_not_open = may_fail(node.redirections);
  const bool ahead = !node.assignments.empty() && !node.words.empty();
  const Scope::Mark begin = may_not_open || ahead ? scope_.mark() : Scope::Mark();
  for (const Assignment& assignment : node.assignments) {
    NamedValue made;
    made.exported = !node.words.empty();
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
        std::string text;
        for (const Arg& part : made) text += (text.empty() ? "" : " ") + part.value.text;
        const std::size_t begin = text.find('=') + 1;
        for (const Arg& part : made) flow(text.substr(begin), part.value);
        whole.value = hole_value(text);
        whole.value.holes[0].begin = static_cast<std::uint32_t>(begin);
      }
      made.assign(1, std::move(whole));
    }
    for (Arg& arg : made) args.push_back(std::move(arg));
  }
  const Feed feed = apply_redirections(node.redirections, outer, &base.accesses);
  if (args.empty()) {
    SimpleCommand command = std::move(base);
    for (const NamedValue& each : command.assignments) {
      const Variable* made = scope_.find(each.name);
      if (made != nullptr && made->exported)
        add_named(each.value, -1, true, false, scope_.cwd(), &command.accesses);
    }
    facts_.assigns = facts_.assigns || !command.assignments.empty();
    if (!command.accesses.empty()) emit_nothing(std::move(command), feed);
  } else {
    const bool ends = ends_with_command(args);
    run(std::move(args), std::move(base), feed);
    for (const Assignment& each : node.assignments) {
      const auto old = begin->variables.find(each.name);
      if (ends && old == begin->variables.end()) scope_.forget(each.name);
      if (ends && old != begin->variables.end()) scope_.set(each.name, old->second);
    }
    if (!ends && begin) scope_.merge_variables(begin);
  }
  if (may_not_open) scope_.merge_variables(begin);
  for (const Redirection& each : node.redirections)
    if (!each.fd_variable.empty()) scope_.forget(each.fd_variable);
}

// Returns true if assignments before the command are certain to end with it.
bool Analyser::ends_with_command(const std::vector<Arg>& args) {
  const Value& word = args[0].value;
  if (!word.literal()) return false;
  static constexpr std::string_view kSpecial =
      " . : eval source exec exit export readonly return set shift trap unset times break continue "
      "local declare typeset alias command builtin ";
  if (kSpecial.find(" " + word.text + " ") != std::string_view::npos) return false;
  return scope_.function(word.text) == nullptr;
}

void Analyser::assign(const Assignment& assignment, NamedValue* made) {
  if (!assignment.subscript.empty()) arithmetic(assignment.subscript);
  const Variable* old = scope_.find(assignment.name);
  std::optional<Variable> before;  // what it is appended to
  if (assignment.append && old != nullptr) before = *old;
  Variable variable;
  variable.array = assignment.array;
  variable.unknown = assignment.append && !before;
  if (before && !spend(before->values.size() * kWordCost)) return;
  if (assignment.array) {
    for (const Word& word : assignment.elements) {
      const bool keyed =
          !word.parts.empty() && !word.parts[0].quoted && word.parts[0].text.starts_with('[');
      for (Arg& arg : fields(word)) {
        const auto several = [](const Value::Hole& hole) {
          return hole.splits || hole.kind == Value::Hole::Kind::kGlob;
        };
        variable.unknown = variable.unknown || keyed ||
                           std::any_of(arg.value.holes.begin(), arg.value.holes.end(), several);
        flow(assignment.name, arg.value);
        made->value.text += (made->value.text.empty() ? "" : " ") + arg.value.text;
        variable.values.push_back(std::move(arg.value));
      }
    }
    if (before) {
      variable.unknown = variable.unknown || before->unknown || !before->array;
      variable.values.insert(variable.values.begin(), before->values.begin(), before->values.end());
    }
  } else {
    made->value = one(assignment.value);
    flow(assignment.name, made->value);
    if (before && before->is_one()) {
      Value whole = before->values[0];
      append_value(made->value, &whole);
      if (!spend(whole.text.size())) return;
      made->value = std::move(whole);
    }
    variable.values = {made->value};
    // $x of an array is its first element.
    const bool in_array = old != nullptr && old->array;
    variable.unknown = variable.unknown || in_array || (before && !before->is_one());
    if (variable.unknown) variable.values.clear();
  }
  made->name = assignment.name;
  if (assignment.subscripted) return scope_.forget(assignment.name);
  // NAME=value before a command applies to that command only, and its words still see the old
  // value. Functions and eval do see the new one, so it is set in any case.
  variable.exported = made->exported;
  const Scope::Mark mark = made->exported ? scope_.mark() : Scope::Mark();
  scope_.set(assignment.name, std::move(variable));
  if (mark) scope_.merge(mark);
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
    if (!resolved) doubt_next(Doubt::kUnansweredPath, path);
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
  if (spec == nullptr && !command.program.empty()) guess(command, args, feed);
  take_exported(&command);
  add_accesses(arguments, start, &command);
  add_entered(start, &command);
  add_names(arguments, start, feed, &command);
  add_notes(&command);
  // Most builtins set something; cd only PWD.
  const bool moves = command.program == "cd" || command.program == "pushd";
  if (builtin(command, feed) && !moves) facts_.assigns = true;
  flow("_", command.argv.back());
  const bool computed =
      spec != nullptr && !spec->subcommands.empty() && arguments.subcommand.empty() &&
      !arguments.operands.empty() &&
      command.argv[static_cast<std::size_t>(arguments.operands[0])].starts_unknown();
  if (computed) {
    doubt_next(Doubt::kUnknownCommandArgument, command.program);
    // It may be any of them, also one that a rule asks about.
    if (!facts_.doubts.empty()) facts_.doubts.back().unheld = true;
  }
  add_hosts(arguments, &command);
  emit(std::move(command), arguments, feed);
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
    const Variable* variable = scope_.find(word.text);
    if (variable != nullptr && spend(variable->values.size())) {
      for (const Value& value : variable->values)
        command->assignments.push_back({word.text, value, true});
    }
    const bool known = word.holes.empty() || word.holes.front().begin > equals;
    if (!known || equals == std::string::npos) continue;
    // declare NAME=value, NAME+=value, NAME[key]=value
    const std::string name = word.text.substr(0, word.text.find_first_of("=+["));
    if (!is_name(name)) continue;
    command->assignments.push_back({name, tail_of(word, equals + 1), true});
  }
}

}  // namespace gibbous::command
