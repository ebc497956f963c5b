// WatcherBits: a set of watchers of one WatchSet, by index. A plain value, any thread.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "runtime/watch/watch_spec.h"

namespace gibbous {

class WatcherBits {
 public:
  void add(std::size_t watcher) { words_[watcher / kWordBits] |= bit(watcher); }
  void remove(std::size_t watcher) { words_[watcher / kWordBits] &= ~bit(watcher); }
  bool has(std::size_t watcher) const { return (words_[watcher / kWordBits] & bit(watcher)) != 0; }
  bool none() const {
    std::uint64_t all = 0;
    for (const std::uint64_t word : words_) all |= word;
    return all == 0;
  }

  WatcherBits& operator|=(const WatcherBits& other) {
    for (std::size_t at = 0; at < words_.size(); ++at) words_[at] |= other.words_[at];
    return *this;
  }
  // Returns the intersection.
  friend WatcherBits operator&(WatcherBits left, const WatcherBits& right) {
    for (std::size_t at = 0; at < left.words_.size(); ++at) left.words_[at] &= right.words_[at];
    return left;
  }
  // Returns the bits of `left` that `right` lacks.
  friend WatcherBits operator-(WatcherBits left, const WatcherBits& right) {
    for (std::size_t at = 0; at < left.words_.size(); ++at) left.words_[at] &= ~right.words_[at];
    return left;
  }

  // Calls visit(watcher) for each, in order.
  template <typename Visit>
  void each(Visit visit) const {
    for (std::size_t at = 0; at < words_.size(); ++at) {
      for (std::uint64_t rest = words_[at]; rest != 0; rest &= rest - 1) {
        visit(at * kWordBits + static_cast<std::size_t>(std::countr_zero(rest)));
      }
    }
  }

 private:
  static constexpr std::size_t kWordBits = 64;
  static std::uint64_t bit(std::size_t watcher) {
    return std::uint64_t{1} << (watcher % kWordBits);
  }
  std::array<std::uint64_t, kMaxWatchers / kWordBits> words_{};
};

}  // namespace gibbous
