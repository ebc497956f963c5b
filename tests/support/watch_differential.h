// A property of WatchSet for any watchers, output and chunks: its matches are those of RE2 on each
// line by itself, found here in the plainest way. The fuzzer (tests/fuzz/watch_fuzz.cc) checks it,
// and the tests of runtime/watch do so over random input. Any thread.
#pragma once

#include <re2/re2.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "runtime/output/text.h"
#include "runtime/watch/watch_set.h"

namespace gibbous::testing {

// A sink that keeps every match.
class MatchDesk final : public WatchSink {
 public:
  bool wants(std::size_t) override { return true; }
  void on_match(WatchMatch match) override { matches.push_back(std::move(match)); }
  std::vector<WatchMatch> matches;
};

struct PlainLine {
  std::string raw;
  Offset offset = 0;
};

inline std::vector<PlainLine> plain_lines(std::string_view output) {
  std::vector<PlainLine> lines;
  for (std::size_t begin = 0; begin < output.size();) {
    const std::size_t end = std::min(output.find('\n', begin), output.size());
    lines.push_back({std::string(output.substr(begin, end - begin)), begin});
    begin = end + 1;
  }
  return lines;
}

inline std::string shown_line(std::string raw, std::size_t limit) {
  if (raw.size() > limit) {
    raw.resize(limit);
    raw.resize(raw.size() - incomplete_utf8_tail(raw));
  }
  if (raw.ends_with('\r')) raw.pop_back();
  return clean(raw);
}

inline std::vector<WatchGroup> plain_groups(const re2::RE2& regex, const std::string& line) {
  const auto count =
      std::min(static_cast<std::size_t>(regex.NumberOfCapturingGroups()), kMaxWatchGroups);
  std::vector<re2::StringPiece> found(count + 1);
  std::vector<WatchGroup> groups;
  regex.Match(line, 0, line.size(), re2::RE2::UNANCHORED, found.data(),
              static_cast<int>(found.size()));
  for (std::size_t at = 1; at < found.size(); ++at) {
    const auto name = regex.CapturingGroupNames().find(static_cast<int>(at));
    groups.push_back({name == regex.CapturingGroupNames().end() ? "" : name->second,
                      to_utf8({found[at].data(), found[at].size()}), found[at].data() != nullptr});
  }
  return groups;
}

// Returns the matches in the order of lines and, on one line, of watchers.
inline std::vector<WatchMatch> plain_matches(const std::vector<WatchSpec>& specs,
                                             std::string_view output) {
  std::vector<std::unique_ptr<re2::RE2>> regexes;
  for (const WatchSpec& spec : specs) {
    regexes.push_back(std::make_unique<re2::RE2>(spec.regex, re2::RE2::Quiet));
  }
  std::vector<bool> spent(specs.size(), false);
  std::vector<WatchMatch> matches;
  const std::vector<PlainLine> lines = plain_lines(output);
  for (std::size_t number = 0; number < lines.size(); ++number) {
    const std::string text = shown_line(lines[number].raw, kMaxMatchedBytes);
    for (std::size_t watcher = 0; watcher < specs.size(); ++watcher) {
      if (spent[watcher] || !re2::RE2::PartialMatch(text, *regexes[watcher])) continue;
      const WatchSpec& spec = specs[watcher];
      spent[watcher] = spec.once;
      WatchMatch match;
      match.watcher = watcher;
      match.event = spec.event;
      match.line = text;
      match.offset = lines[number].offset;
      match.line_number = number;
      match.cut = lines[number].raw.size() > kMaxMatchedBytes;
      match.groups = plain_groups(*regexes[watcher], text);
      const std::size_t first = number - std::min<std::size_t>(number, spec.context_before);
      for (std::size_t at = first; at < number; ++at) {
        match.before.push_back(shown_line(lines[at].raw, kMaxContextLineBytes));
      }
      const std::size_t last = std::min(lines.size(), number + 1 + spec.context_after);
      for (std::size_t at = number + 1; at < last; ++at) {
        match.after.push_back(shown_line(lines[at].raw, kMaxContextLineBytes));
      }
      matches.push_back(std::move(match));
    }
  }
  return matches;
}

inline bool same_groups(const std::vector<WatchGroup>& left, const std::vector<WatchGroup>& right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](const WatchGroup& one, const WatchGroup& other) {
                      return one.name == other.name && one.text == other.text &&
                             one.matched == other.matched;
                    });
}

// Returns the field in which two matches differ, or "".
inline std::string match_difference(const WatchMatch& left, const WatchMatch& right) {
  if (left.watcher != right.watcher) return "watcher";
  if (left.event != right.event) return "event";
  if (left.line_number != right.line_number) return "line_number";
  if (left.offset != right.offset) return "offset";
  if (left.line != right.line) return "line";
  if (left.cut != right.cut) return "cut";
  if (!same_groups(left.groups, right.groups)) return "groups";
  if (left.before != right.before) return "before";
  return left.after == right.after ? "" : "after";
}

inline std::string sequence_difference(const std::vector<WatchMatch>& got,
                                       const std::vector<WatchMatch>& expected) {
  for (std::size_t at = 0; at < std::min(got.size(), expected.size()); ++at) {
    const std::string difference = match_difference(got[at], expected[at]);
    if (!difference.empty()) return difference + " differs: " + got[at].line;
  }
  if (got.size() > expected.size()) return "a match too many: " + got[expected.size()].line;
  if (got.size() < expected.size()) return "a match is missing: " + expected[got.size()].line;
  return "";
}

// The same with unfinished lines, which may match then but not when they are complete; no match is
// reported twice or lost.
inline std::string flushed_difference(const std::vector<WatchMatch>& got,
                                      const std::vector<WatchMatch>& expected) {
  using Key = std::pair<std::uint64_t, std::size_t>;  // line, watcher
  std::map<Key, const WatchMatch*> told;
  for (const WatchMatch& match : got) {
    if (!told.insert({{match.line_number, match.watcher}, &match}).second) {
      return "told twice: " + match.line;
    }
  }
  std::set<Key> complete;
  for (const WatchMatch& match : expected) {
    const Key key(match.line_number, match.watcher);
    complete.insert(key);
    const auto found = told.find(key);
    if (found == told.end()) return "a match is missing: " + match.line;
    const std::string difference =
        found->second->partial ? "" : match_difference(*found->second, match);
    // The lines after it may have come too late.
    if (!difference.empty() && difference != "after") return difference + " differs: " + match.line;
  }
  for (const auto& [key, match] : told) {
    if (!match->partial && !complete.contains(key)) return "a match too many: " + match->line;
  }
  return "";
}

// Returns what is wrong with the matches of a set that is fed `output` in chunks of `chunk_bytes()`
// each, or "". With `flush`, the unfinished line is examined after each chunk; `once` is then left
// out.
template <typename ChunkBytes>
std::string watch_problem(std::vector<WatchSpec> specs, std::string_view output,
                          ChunkBytes chunk_bytes, bool flush) {
  for (WatchSpec& spec : specs) spec.once = spec.once && !flush;
  auto patterns = WatchPatterns::compile(specs);
  if (!patterns) return "";  // RE2 does not accept every regex
  MatchDesk desk;
  WatchSet set(*patterns, &desk);
  for (std::size_t at = 0; at < output.size();) {
    const std::size_t bytes = std::min<std::size_t>(chunk_bytes(), output.size() - at);
    set.feed(WatchStream::kStdout, at, output.substr(at, bytes));
    if (flush) set.flush_partial(WatchStream::kStdout);
    at += bytes;
  }
  set.end(WatchStream::kStdout);
  const std::vector<WatchMatch> expected = plain_matches(specs, output);
  if (flush) return flushed_difference(desk.matches, expected);
  std::stable_sort(desk.matches.begin(), desk.matches.end(),
                   [](const WatchMatch& left, const WatchMatch& right) {
                     return std::tie(left.line_number, left.watcher) <
                            std::tie(right.line_number, right.watcher);
                   });
  return sequence_difference(desk.matches, expected);
}

}  // namespace gibbous::testing
