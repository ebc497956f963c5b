// Redirections: the files that they open, and the standard input of the command.
#include <algorithm>
#include <utility>

#include "runtime/command/analyser.h"

namespace gibbous::command {

Feed Analyser::apply_redirections(const std::vector<Redirection>& redirections, const Feed& feed,
                                  std::vector<Access>* accesses) {
  Feed input = feed;
  for (const Redirection& each : redirections) {
    const bool stdin_too = each.fd == -1 || each.fd == 0;
    facts_.assigns = facts_.assigns || !each.fd_variable.empty();  // {NAME}>x
    switch (each.op) {
      case Redirection::Op::kHere:
      case Redirection::Op::kHereString: {
        const Nest nest(*this, Nesting::Kind::kHeredoc);
        Value text = one(each.target);
        if (!stdin_too) break;
        input = {};
        input.piped = true;
        input.text = std::move(text);
        break;
      }
      case Redirection::Op::kRead:
      case Redirection::Op::kReadWrite:
      case Redirection::Op::kWrite:
      case Redirection::Op::kBoth: {
        const bool reads = each.op == Redirection::Op::kRead;
        const std::size_t first = facts_.commands.size();
        for (Arg& arg : fields(each.target)) {
          if (arg.process) {  // < <(cmd)
            input = {};
            input.piped = true;
            add_programs(facts_.commands, first, facts_.commands.size(), &input.programs);
            for (const std::string& program : input.programs) {
              const ProgramSpec* spec = knowledge_.find(program);
              input.decodes = input.decodes || (spec != nullptr && spec->decodes);
            }
            continue;
          }
          add_access(reads ? AccessKind::kRead : AccessKind::kWrite, false, arg.value, -1, true,
                     scope_.cwd(), accesses);
          const bool both = each.op == Redirection::Op::kReadWrite;
          if (reads ? stdin_too : both && (each.fd == -1 || each.fd == 0)) {
            input = {};
            input.file = arg.value;
          }
        }
        break;
      }
      case Redirection::Op::kDupIn:
      case Redirection::Op::kDupOut: {
        const Value target = one(each.target);
        const std::string& text = target.text;
        const bool descriptor =
            !text.empty() && text.find_first_not_of("0123456789-") == std::string::npos;
        if (descriptor && target.literal()) {
          if (stdin_too && text != "0" && text != "-" && each.op == Redirection::Op::kDupIn) {
            input = {};  // any descriptor
            input.piped = true;
          }
          break;
        }
        if (each.op == Redirection::Op::kDupIn && stdin_too) {
          input = {};
          input.piped = true;
        }
        if (target.has_unknown() && target.starts_unknown() && each.fd != -1) break;  // >&$fd
        add_access(each.op == Redirection::Op::kDupIn ? AccessKind::kRead : AccessKind::kWrite,
                   false, target, -1, true, scope_.cwd(), accesses);
        break;
      }
    }
  }
  return input;
}

// Redirections of a compound command, or without a command, are judged as those of the command ":".
void Analyser::note_redirections(std::vector<Access> accesses) {
  if (accesses.empty()) return;
  SimpleCommand command;
  command.accesses = std::move(accesses);
  emit_nothing(std::move(command), {});
}

void Analyser::emit_nothing(SimpleCommand command, const Feed& feed) {
  command.cwd = known_cwd();
  command.program = ":";
  command.program_word = Value{":"};
  command.argv = {command.program_word};
  const Arguments arguments = split_arguments(command.argv, knowledge_.find(":"));
  emit(std::move(command), arguments, feed);
}

}  // namespace gibbous::command
