// The names of facts in policies, in logs and on screens. scripts/meta/rule.lua lists them.
#include "runtime/command/facts.h"

namespace gibbous::command {

const char* name_of(Doubt doubt) {
  switch (doubt) {
    case Doubt::kUnparsed:
      return "unparsed";
    case Doubt::kOverLimit:
      return "over_limit";
    case Doubt::kUnknownProgram:
      return "unknown_program";
    case Doubt::kUnknownCode:
      return "unknown_code";
    case Doubt::kPipedCode:
      return "piped_code";
    case Doubt::kInlineCode:
      return "inline_code";
    case Doubt::kUnknownCommandArgument:
      return "unknown_command_argument";
    case Doubt::kForkBomb:
      return "fork_bomb";
    case Doubt::kEncoding:
      return "encoding";
    case Doubt::kDecodedCode:
      return "decoded_code";
    case Doubt::kUnreadFile:
      return "unread_file";
    case Doubt::kUnansweredPath:
      return "unanswered_path";
    case Doubt::kUnjudged:
      return "unjudged";
  }
  return "";
}

const char* name_of(AccessKind kind) {
  switch (kind) {
    case AccessKind::kRead:
      return "read";
    case AccessKind::kWrite:
      return "write";
    case AccessKind::kRemove:
      return "remove";
    case AccessKind::kPermission:
      return "permission";
    case AccessKind::kExecute:
      return "execute";
    case AccessKind::kEnter:
      return "enter";
    case AccessKind::kName:
      return "name";
  }
  return "";
}

const char* name_of(Nesting::Kind kind) {
  switch (kind) {
    case Nesting::Kind::kPipeline:
      return "pipeline";
    case Nesting::Kind::kBackground:
      return "background";
    case Nesting::Kind::kSubshell:
      return "subshell";
    case Nesting::Kind::kSubstitution:
      return "substitution";
    case Nesting::Kind::kProcess:
      return "process";
    case Nesting::Kind::kFunction:
      return "function";
    case Nesting::Kind::kLoop:
      return "loop";
    case Nesting::Kind::kCondition:
      return "condition";
    case Nesting::Kind::kWrapper:
      return "wrapper";
    case Nesting::Kind::kCode:
      return "code";
    case Nesting::Kind::kHeredoc:
      return "heredoc";
  }
  return "";
}

}  // namespace gibbous::command
