// WatchPatterns: the compiled regexes of some watchers, which any number of runs share. Scans a
// block whole for lines that may match, and says of one line whether it does. WatchSet uses it.
// Immutable, any thread.
//
// How: one search finds all literals that a match must hold (required_literals.h,
// literal_finder.h). RE2 itself searches the block for regexes without such literals, built so that
// no match can leave its line. Regexes that mean something else in a block than in a line (\A, \z,
// ...) are tried on each line.
//
// Not a set engine such as Vectorscan: it does not mean the same by a regex, so it could only be a
// filter as well, which takes 70 ms to compile. 100 patterns cost little more than ten.
#pragma once

#include <re2/re2.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gibbous/status.h"
#include "runtime/watch/literal_finder.h"
#include "runtime/watch/watch_spec.h"
#include "runtime/watch/watcher_bits.h"

namespace gibbous {

inline constexpr std::size_t kMaxWatchGroups = 32;

// A capture group of a match; texts are valid UTF-8.
struct WatchGroup {
  std::string name;  // "" without one
  std::string text;
  bool matched = false;  // false: the group took no part
};

// A line that some watchers may match.
struct LineCandidate {
  std::size_t begin = 0;
  WatcherBits watchers;
};

class WatchPatterns {
 public:
  // Fails with invalid_arguments, which names the watcher, the field, RE2's message and the place.
  static Result<std::shared_ptr<const WatchPatterns>> compile(std::vector<WatchSpec> specs);

  std::size_t size() const { return specs_.size(); }
  const WatchSpec& spec(std::size_t watcher) const { return specs_[watcher]; }
  WatcherBits in_scope(WatchStream stream) const;

  // Replaces `found` by the lines of `block` that `wanted` watchers may match, in order: all that
  // do match, and some more. `block` is lines separated by '\n', without one at its end; `folding`
  // says that it holds folding characters.
  void candidates(std::string_view block, bool folding, const WatcherBits& wanted,
                  std::vector<LineCandidate>* found) const;

  bool matches(std::size_t watcher, std::string_view line) const;
  // Returns the leftmost match in the line.
  std::optional<std::string_view> find(std::size_t watcher, std::string_view line) const;
  // Returns groups 1 to kMaxWatchGroups; none when the line does not match.
  std::vector<WatchGroup> groups(std::size_t watcher, std::string_view line) const;

 private:
  // One search of a block by RE2, for one or many watchers.
  struct Search {
    std::unique_ptr<re2::RE2> regex;
    WatcherBits watchers;
  };

  explicit WatchPatterns(std::vector<WatchSpec> specs);
  Status compile_all();
  Status compile_one(std::size_t watcher);
  void plan();
  void plan_searches(const std::vector<std::size_t>& watchers);
  void find_literals(std::string_view block, const WatcherBits& wanted,
                     std::vector<LineCandidate>* found) const;
  void find_folding(std::string_view block, const WatcherBits& wanted,
                    std::vector<LineCandidate>* found) const;

  std::vector<WatchSpec> specs_;
  std::vector<std::unique_ptr<re2::RE2>> regexes_;
  std::vector<std::vector<std::string>> names_;  // of the groups
  std::unique_ptr<LiteralFinder> literals_;
  std::vector<WatcherBits> owners_;  // of the literals
  WatcherBits by_literal_;
  std::vector<Search> searches_;
  WatcherBits by_line_;
};

}  // namespace gibbous
