// Matcher: Lua 5.1 patterns with counted steps, because LuaJIT's own matcher can run for years
// inside one C function, where no hook fires. Same language, same results (a differential test
// checks it), with one exception: a zero byte in a pattern is an ordinary character instead of its
// end. Used by string_library.cc. Loop thread.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

struct lua_State;

namespace gibbous::lua {

// A catastrophic pattern over a short subject ends after about 5 ms; a long subject may take
// longer.
inline constexpr std::size_t kPatternSteps = 1'000'000;
inline constexpr std::size_t kPatternStepsPerByte = 64;
inline constexpr int kMaxPatternDepth = 200;
inline constexpr int kMaxCaptures = 32;

// Owns no resource: a Lua error may pass through any of its functions. Subject and pattern must
// outlive it.
class Matcher {
 public:
  Matcher(lua_State* state, std::string_view subject, std::string_view pattern);

  // Returns the end of the match that begins exactly at `at`, or null.
  const char* match_at(const char* at);
  // Returns the first position from `at` on where a match may begin, or null; uses memchr to skip
  // positions where none can.
  const char* skip_to_candidate(const char* at) const;

  // After a match from `start` to `end`: pushes the captures, or the whole match when there are
  // none and `whole` is set. Returns how many.
  int push_captures(const char* start, const char* end, bool whole);
  // Capture `index` (0-based); index 0 is the whole match when there are no captures.
  void push_capture(int index, const char* start, const char* end);

  const char* subject_end() const { return subject_end_; }

 private:
  // One single-character part of a pattern: c, ., %a, [set].
  struct Single {
    enum class Kind { kAny, kLiteral, kClass, kSet } kind;
    const char* text;  // the character, the class letter, or the position after the '['
    const char* end;   // the position after the whole part
    bool has(unsigned char c) const;
  };
  struct Capture {
    const char* start;
    std::ptrdiff_t length;
  };
  static constexpr std::ptrdiff_t kOpen = -1;
  static constexpr std::ptrdiff_t kPosition = -2;

  const char* run(const char* at, const char* pattern);
  const char* run_parts(const char* at, const char* pattern);
  const char* run_greedy(const char* at, const Single& single, std::size_t least, const char* rest);
  const char* run_lazy(const char* at, const Single& single, const char* rest);
  const char* open_capture(const char* at, const char* rest, std::ptrdiff_t length);
  const char* close_capture(const char* at, const char* rest);
  const char* match_balanced(const char* at, const char* pair);
  const char* match_again(const char* at, char digit);
  bool at_frontier(const char* at, const Single& set) const;
  Single read_single(const char* pattern);
  const char* end_of_set(const char* pattern);
  std::size_t count_run(const char* at, const Single& single);

  void step(std::size_t steps = 1) {
    steps_ += steps;
    if (steps_ >= next_check_) check();
  }
  void check();
  [[noreturn]] void fail(const char* message);

  lua_State* state_;
  const char* subject_;
  const char* subject_end_;
  const char* pattern_;
  const char* pattern_end_;
  std::size_t steps_ = 0;
  std::size_t charged_ = 0;
  std::size_t next_check_;
  std::size_t most_steps_;
  int first_literal_ = -1;  // every match begins with it; -1: unknown
  int depth_ = 0;
  int level_ = 0;
  std::array<Capture, kMaxCaptures> captures_;
};

// Returns true when `pattern` has no magic character, so that find may search for it as plain text.
bool is_plain_pattern(std::string_view pattern);

}  // namespace gibbous::lua
