// The names of facts in policies, in logs and on screens. scripts/meta/rule.lua lists them.
#include <cstddef>
#include <iterator>

#include "runtime/command/facts.h"

namespace gibbous::command {
namespace {

// In the order of the enums.
constexpr const char* kDoubtNames[] = {
    "unparsed",
    "over_limit",
    "unknown_program",
    "unknown_code",
    "piped_code",
    "inline_code",
    "unknown_command_argument",
    "fork_bomb",
    "encoding",
    "decoded_code",
    "unread_file",
    "unanswered_path",
    "unjudged",
};
constexpr const char* kAccessNames[] = {"read",    "write", "remove", "permission",
                                        "execute", "enter", "name"};
constexpr const char* kNestingNames[] = {"pipeline", "background", "subshell", "substitution",
                                         "process",  "function",   "loop",     "condition",
                                         "wrapper",  "code",       "heredoc"};
static_assert(std::size(kDoubtNames) == kDoubts);
static_assert(std::size(kAccessNames) == static_cast<std::size_t>(AccessKind::kName) + 1);
static_assert(std::size(kNestingNames) == static_cast<std::size_t>(Nesting::Kind::kHeredoc) + 1);

}  // namespace

const char* name_of(Doubt doubt) {
  return kDoubtNames[static_cast<std::size_t>(doubt)];
}

const char* name_of(AccessKind kind) {
  return kAccessNames[static_cast<std::size_t>(kind)];
}

const char* name_of(Nesting::Kind kind) {
  return kNestingNames[static_cast<std::size_t>(kind)];
}

}  // namespace gibbous::command
