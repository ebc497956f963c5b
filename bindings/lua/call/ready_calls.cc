#include "bindings/lua/call/ready_calls.h"

#include <utility>

#include "bindings/lua/call/call.h"
#include "gibbous/runtime.h"

namespace gibbous::lua {

void ReadyCalls::charge(TurnPlace& place, Nanos used) {
  place.used += used;
  if (place.used < kShare) return;
  place.used = Nanos{0};
  place.ticket = ++last_ticket_;
}

void ReadyCalls::add(std::shared_ptr<Call> call, const TurnPlace& place) {
  calls_.emplace(Key{kMaxCallPriority - place.priority, place.ticket, ++last_arrival_},
                 std::move(call));
}

std::shared_ptr<Call> ReadyCalls::take() {
  return std::move(calls_.extract(calls_.begin()).mapped());
}

}  // namespace gibbous::lua
