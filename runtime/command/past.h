// Past: the lines that an interactive bash has in its history, as far as they are known. Which of
// them it keeps depends on HISTCONTROL, which a startup file may set: lines that begin with a
// blank, repeated lines. Private to history*.cc.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/command/history.h"

namespace gibbous::command {

class Past {
 public:
  explicit Past(const HistorySpec& spec) : spec_(spec) {}

  // A line that was kept.
  void take(std::string_view kept);
  // A line that runs. `certain`: the shell has it in its history, unless HISTCONTROL excludes it.
  void add(std::string line, bool certain = true);
  // A line that was only printed (`:p`).
  void add_printed(std::string line);
  // Nothing is known from here on.
  void lose() { known_ = false; }

  // The event is nullopt when it is not known.
  std::optional<std::string> back(std::size_t count) const;  // 1 is the last one
  std::optional<std::string> starting(std::string_view text) const;
  std::optional<std::string> containing(std::string_view text) const;

  // Counts what is looked at or copied; false when it is too much for one text.
  bool spend(std::size_t bytes) const;

  // False after `set +H`: `!` is a character as others are.
  bool expands() const { return expands_ || !known_; }
  // True when the character for it may be another one.
  bool other_characters() const { return other_characters_; }

 private:
  struct Event {
    std::string line;
    bool certain = true;
  };
  static bool may_be_missing(const Event& event);
  template <typename Match>
  std::optional<std::string> last(Match match) const;

  const HistorySpec& spec_;
  std::vector<Event> events_;
  bool known_ = true;
  bool expands_ = true;
  bool other_characters_ = false;
  mutable std::size_t spent_ = 0;
};

// Text that stands for a printed line in kept text. A comment, so that it does nothing; no terminal
// passes its control character on as text.
std::string printed_mark(std::string_view line);
// Stands for a history that is not known from there on.
inline constexpr std::string_view kLostMark = "#\1\n";

// The text without the comments that stand for printed lines and lost ones.
std::string without_marks(std::string_view kept);

// One line, expanded as bash does it.
struct Expanded {
  enum class How : std::uint8_t { kSame, kRuns, kPrints, kUnknown };
  How how = How::kSame;
  std::string line;
  bool certain = true;  // false: old versions of bash reject it
};

// The last substitution, which `:&` repeats.
struct Substitution {
  std::string from;
  std::string to;
};

Expanded expand_line(std::string_view line, const Past& past, Substitution* last);

// The words of a history line, as bash's history library cuts them.
std::vector<std::string> history_words(std::string_view line);

// What `fc -s` makes of an earlier line. kSame: the line is not alone an `fc` that runs one.
Expanded expand_fc(std::string_view line, const Past& past);

inline constexpr std::size_t kMaxExpandedBytes = std::size_t{64} << 10;  // of one line

}  // namespace gibbous::command
