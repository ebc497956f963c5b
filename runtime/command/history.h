// Typed lines as an interactive shell runs them: `!!`, `!ls:s/a/b/`, `^a^b^` and `fc -s` stand for
// earlier lines. The policy judges what expand_history() returns in place of what was typed. Pure,
// linear time, bounded; any thread. The proof against bash is in tests/runtime/command.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gibbous::command {

// How a shell's lines refer to earlier ones, when it is interactive.
struct HistorySpec {
  enum class Kind : std::uint8_t {
    kNone,     // they do not (dash)
    kBash,     // as in bash
    kUnknown,  // in some other way (zsh, tcsh), or it is not known which shell it is (su)
  };
  Kind kind = Kind::kUnknown;
  // kBash: programs that never read input, so that the next line is certainly the shell's.
  std::vector<std::string> leave_input;
};

// Stand in kept text for what is not known of it: earlier lines, and the beginning of the line.
inline constexpr std::string_view kUnknownLines = "cd \"$unknown\"\n";
inline constexpr std::string_view kUnknownBeginning = "\"$unknown\" ";

struct TypedLines {
  std::string text;  // all of it, with each new line as it runs; kept as `before` for the next time
  bool known = true;  // false: `text` is as it was typed, and something else may run
};

// `before` was typed earlier, and kept; its last line may be unfinished, and `text` goes on with
// it. An unfinished line stays as it is. `interrupted`: a key (such as <C-c>) may have thrown a
// line away.
TypedLines expand_history(std::string_view before, std::string_view text, const HistorySpec& spec,
                          bool interrupted = false);

}  // namespace gibbous::command
