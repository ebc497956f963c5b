// WatchSpec: the text that a caller wants reported, and its bounds. Plain data, any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gibbous/status.h"

namespace gibbous {

inline constexpr std::size_t kMaxWatchers = 128;  // of one set
inline constexpr std::size_t kMaxWatchRegexBytes = std::size_t{4} << 10;
inline constexpr std::size_t kMaxEventNameBytes = 64;
inline constexpr unsigned kMaxContextLines = 20;

// A terminal's output counts as stdout. What it shows is no stream, but it has matches too.
enum class WatchStream : std::uint8_t { kStdout, kStderr, kScreen };
inline constexpr std::size_t kWatchStreams = 2;  // those that have bytes
const char* to_string(WatchStream stream);

// kBoth are the streams that have bytes.
enum class WatchScope : std::uint8_t { kBoth, kStdout, kStderr, kScreen };

struct WatchSpec {
  std::string regex;  // RE2, found anywhere in a line or row as a person sees it (watch_set.h)
  std::string event;  // [A-Za-z][A-Za-z0-9_.-]{0,63}
  bool once = false;  // one match on any stream, and never again
  WatchScope scope = WatchScope::kBoth;
  unsigned context_before = 0;  // lines that are delivered with the match
  unsigned context_after = 0;
};

bool in_scope(WatchScope scope, WatchStream stream);

// Checks everything except the syntax of the regex, which RE2 checks. Fails with invalid_arguments
// and names the watcher by its index, from 0: "watch[2].event: expected ..., got ...".
Status check_watch_specs(const std::vector<WatchSpec>& specs);

// Returns "watch[2].regex: ".
std::string watch_field(std::size_t watcher, std::string_view field);

}  // namespace gibbous
