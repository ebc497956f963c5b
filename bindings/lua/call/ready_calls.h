// The calls that wait for a turn, in the order in which they get one: a call of higher priority
// first, then the one that began first, so that each soon ends even where more is asked for than
// there is time. A call that has used up its share goes behind all that wait. Loop thread only.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>

#include "runtime/base/clock.h"

namespace gibbous::lua {

class Call;

// A call's place among those that wait.
struct TurnPlace {
  int priority = 0;          // higher first
  std::uint64_t ticket = 0;  // lower first; that of its parent for a child call
  Nanos used{0};             // of its share
};

class ReadyCalls {
 public:
  // The time of turns that a call may use before others that wait are served first.
  static constexpr Nanos kShare{std::chrono::milliseconds(5)};

  // Gives a new call its place.
  TurnPlace place(int priority) { return {priority, ++last_ticket_, Nanos{0}}; }
  // Charges a turn, which can cost the call its place.
  void charge(TurnPlace& place, Nanos used);

  void add(std::shared_ptr<Call> call, const TurnPlace& place);
  // Takes the first; there must be one.
  std::shared_ptr<Call> take();
  bool empty() const { return calls_.empty(); }
  void clear() { calls_.clear(); }

 private:
  struct Key {
    int below_first;  // 0: the highest priority
    std::uint64_t ticket;
    std::uint64_t arrival;  // of calls with the same ticket

    auto operator<=>(const Key&) const = default;
  };

  std::map<Key, std::shared_ptr<Call>> calls_;
  std::uint64_t last_ticket_ = 0;
  std::uint64_t last_arrival_ = 0;
};

}  // namespace gibbous::lua
